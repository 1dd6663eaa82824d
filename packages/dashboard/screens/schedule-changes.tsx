// The pages that the runs of a schedule changed: each once, with the difference that its newest change made.
import { call, query } from '../api.ts';
import type { Job, List } from '../api-types.ts';
import { count } from '../format.ts';
import { OutLink } from '../parts/basics.tsx';
import { CompareButton, ComparedPage } from '../parts/diff.tsx';
import { useLoaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';

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

export function ScheduleChanges({ path }: { path: string }) {
  const { value, notice } = useLoaded(path, (signal) => readChanged(path, signal), 3);
  if (notice || !value) return notice;
  const shown = value.rows.slice(0, shownMax);
  const list = `${path}/changes`;
  return (
    <>
      <ComparedPage path={list} rows={shown} />
      {shown.length === 0 ? (
        <p class="muted">No run whose results are kept has changed a page.</p>
      ) : (
        <ul class="runs" aria-label="Changed pages">
          {shown.map(({ url, runAt }) => (
            <li key={url}>
              <OutLink url={url}>{url}</OutLink>
              <Time at={runAt} />
              <CompareButton path={list} url={url} />
            </li>
          ))}
        </ul>
      )}
      {!value.isWhole && <p class="muted">These are the newest {count(shown.length)}.</p>}
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
      if (newest.size > shownMax || ++reads === runsReadMax) return { rows: [...newest.values()], isWhole: false };
    }
    ({ cursor } = runs);
    if (cursor === undefined) break;
  }
  return { rows: [...newest.values()], isWhole: true };
}
