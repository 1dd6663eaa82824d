// The webhook deliveries of a job.
import { type Delivery, hasEnded, type Job, type List } from '../api-types.ts';
import { call, can } from '../api.ts';
import { Empty, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { Time } from '../parts/time.tsx';
import { useAction, useInterval, useLoaded } from '../parts/hooks.ts';

const outcomes = { pending: 'queued', delivered: 'scraped', failed: 'failed' } as const;

export function Deliveries({ job }: { job: Job }) {
  const url = `/crawler/jobs/${job.id}/deliveries`;
  const { value, error, reload } = useLoaded(job.id, (signal) => call<List<Delivery>>(`${url}?limit=400`, { signal }));
  const action = useAction();
  const isPending = !hasEnded(job) || value?.data.some(({ status }) => status === 'pending') === true;
  useInterval(reload, isPending ? 2_000 : 0);
  const replay = (id: number): Promise<void> =>
    action.run(async () => {
      await call(`${url}/${id}/replay`, { method: 'POST' });
      reload();
    });
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={3} />;
  if (value.data.length === 0)
    return (
      <Empty title="No delivery yet">
        <p>Events are sent when the job starts, while it crawls, and when it ends.</p>
      </Empty>
    );
  return (
    <>
      {action.error && <ErrorNote error={action.error} />}
      <div class="table-box" tabIndex={0} role="region" aria-label="Deliveries">
        <table>
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Attempts
              </th>
              <th scope="col">Created</th>
              <th scope="col">Last response</th>
              {can('write') && (
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {value.data.map(({ id, event, status, attempts, createdAt, statusCode, error: cause }) => (
              <tr key={id}>
                <th scope="row">{event}</th>
                <td>
                  <span class={`outcome outcome-${outcomes[status]}`}>{status}</span>
                </td>
                <td class="number">{attempts}</td>
                <td>
                  <Time at={createdAt} />
                </td>
                <td>{[statusCode, cause].filter((part) => part !== undefined).join(' · ')}</td>
                {can('write') && (
                  <td>
                    <button
                      type="button"
                      class="button button-small"
                      disabled={status === 'pending'}
                      onClick={() => void replay(id)}
                    >
                      Send again
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
