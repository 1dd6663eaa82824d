// The pages that the runs of a schedule changed: each once, with the difference that its newest change made.
import { call, query } from '../api.ts';
import type { Job, List } from '../api-types.ts';
import { count } from '../format.ts';
import { ErrorNote, OutLink, Skeleton } from '../parts/basics.tsx';
import { DiffView } from '../parts/diff.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Time } from '../parts/time.tsx';
import { search, setSearch } from '../router.ts';

/** Of one run: more than are shown. */
const rowsPerRead = 200;
const shownMax = 100;
const runsPerRead = 100;
/** Runs with changes that are read. */
const runsReadMax = 25;

interface Row {
  readonly url: string;
  /** In milliseconds since the epoch. */
  readonly runAt: number;
}

interface Changed {
  readonly rows: readonly Row[];
  /** There are no others. */
  readonly isWhole: boolean;
}

export function ScheduleChanges({ id }: { id: string }) {
  const path = `/crawler/schedules/${id}`;
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
        <DiffView path={`${path}/changes/diff${query({ url: open })}`} step={step} close={() => select(undefined)} />
      )}
      {shown.length === 0 ? (
        <p class="muted">No run whose results are kept has changed a page.</p>
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
      {!isWhole && <p class="muted">These are the newest {count(shown.length)}.</p>}
    </>
  );
}

/** Runs are read from the newest on, until there is more than is shown. */
async function readChanged(path: string, signal: AbortSignal): Promise<Changed> {
  const newest = new Map<string, Row>();
  let cursor: string | undefined;
  for (let reads = 0; reads < runsReadMax;) {
    const runs = await call<List<Job>>(`${path}/jobs${query({ limit: runsPerRead, cursor })}`, { signal });
    for (const run of runs.data) {
      if (run.expired || (run.changes?.changed ?? 0) === 0) continue;
      const asked = query({ change: 'changed', limit: rowsPerRead, wait: 0 });
      const { data } = await call<List<Row>>(`/crawler/jobs/${run.id}/changes${asked}`, { signal });
      for (const row of data) if (!newest.has(row.url)) newest.set(row.url, row);
      if (newest.size > shownMax) return { rows: [...newest.values()], isWhole: false };
      if (++reads === runsReadMax) return { rows: [...newest.values()], isWhole: false };
    }
    ({ cursor } = runs);
    if (cursor === undefined) break;
  }
  return { rows: [...newest.values()], isWhole: true };
}
