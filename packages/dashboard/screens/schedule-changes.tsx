// The pages that the runs of a schedule changed: each once, with the difference that its newest change made.
import type { FeedChange } from '../../client/types.ts';
import { call, query } from '../api.ts';
import { count } from '../format.ts';
import { ErrorNote, OutLink, Skeleton } from '../parts/basics.tsx';
import { DiffView } from '../parts/diff.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Time } from '../parts/time.tsx';
import { search, setSearch } from '../router.ts';

const rowsPerRead = 400;
/** The feed is read from its oldest row. */
const readsMax = 25;
const shownMax = 100;

interface Feed {
  readonly data: readonly FeedChange[];
  readonly cursor: string;
  readonly upToDate: boolean;
}

export function ScheduleChanges({ id }: { id: string }) {
  const path = `/crawler/schedules/${id}/changes`;
  const { value, error, reload } = useLoaded(path, (signal) => readChanged(path, signal));
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={3} />;
  const { rows, isWhole } = value;
  const shown = rows.slice(0, shownMax);
  const open = search.value.get('schedule') === id ? (search.value.get('diff') ?? undefined) : undefined;
  const select = (url: string | undefined): void => setSearch({ schedule: url && id, diff: url });
  const step = (by: number): void => {
    const next = shown[shown.findIndex(({ url }) => url === open) + by];
    if (next) select(next.url);
  };
  return (
    <>
      {open !== undefined && (
        <DiffView path={`${path}/diff${query({ url: open })}`} step={step} close={() => select(undefined)} />
      )}
      {shown.length === 0 ? (
        <p class="muted">No run has changed a page.</p>
      ) : (
        <ul class="runs" aria-label="Changed pages">
          {shown.map(({ url, runAt }) => (
            <li key={url}>
              <OutLink url={url}>{url}</OutLink>
              <Time at={runAt} />
              <button
                type="button"
                class="button button-small"
                aria-pressed={open === url}
                onClick={() => select(open === url ? undefined : url)}
              >
                Compare
              </button>
            </li>
          ))}
        </ul>
      )}
      {rows.length > shown.length && <p class="muted">These are the newest {count(shown.length)}.</p>}
      {!isWhole && <p class="muted">Only the oldest {count(rowsPerRead * readsMax)} changes were read.</p>}
    </>
  );
}

async function readChanged(path: string, signal: AbortSignal) {
  const newest = new Map<string, FeedChange>();
  let cursor: string | undefined;
  for (let reads = 0; reads < readsMax; reads++) {
    const asked = query({ change: 'changed', limit: rowsPerRead, wait: 0, cursor });
    const feed = await call<Feed>(`${path}${asked}`, { signal });
    for (const row of feed.data) {
      newest.delete(row.url);
      newest.set(row.url, row);
    }
    if (feed.upToDate) return { rows: [...newest.values()].toReversed(), isWhole: true };
    ({ cursor } = feed);
  }
  return { rows: [...newest.values()].toReversed(), isWhole: false };
}
