// The webhook deliveries of a job.
import { type Delivery, hasEnded, type Job, type List } from '../api-types.ts';
import { call, can } from '../api.ts';
import { Empty, ErrorNote } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { useAction, useInterval } from '../parts/hooks.ts';
import { useGet } from '../parts/loaded.tsx';
import { BoxedTable, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';

const outcomes = { pending: 'queued', delivered: 'scraped', failed: 'failed' } as const;

const columns: readonly Column<Delivery>[] = [
  { title: 'Event', cell: ({ event }) => event, isName: true },
  { title: 'State', cell: ({ status }) => <span class={`outcome outcome-${outcomes[status]}`}>{status}</span> },
  { title: 'Attempts', cell: ({ attempts }) => attempts, class: 'number' },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Last response',
    cell: ({ statusCode, error }) => [statusCode, error].filter((part) => part !== undefined).join(' · '),
  },
];

export function Deliveries({ job }: { job: Job }) {
  const url = `/crawler/jobs/${job.id}/deliveries`;
  const { value, notice, reload } = useGet<List<Delivery>>(`${url}?limit=400`, { lines: 3 });
  const action = useAction();
  const isPending = !hasEnded(job) || value?.data.some(({ status }) => status === 'pending') === true;
  useInterval(reload, isPending ? 2_000 : 0);
  const replay = (id: number): Promise<void> =>
    action.run(() => call(`${url}/${id}/replay`, { method: 'POST' }).then(reload));
  const again: Column<Delivery> = {
    title: <span class="visually-hidden">Actions</span>,
    cell: ({ id, status }) => (
      <Button kind="small" label="Send again" disabled={status === 'pending'} click={() => replay(id)} />
    ),
  };
  if (notice || !value) return notice;
  if (value.data.length === 0)
    return (
      <Empty title="No delivery yet" text="Events are sent when the job starts, while it crawls, and when it ends." />
    );
  return (
    <>
      {action.error && <ErrorNote error={action.error} />}
      <BoxedTable label="Deliveries" columns={can('write') ? [...columns, again] : columns} rows={value.data} />
    </>
  );
}
