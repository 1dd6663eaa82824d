// What a job with `since` found out about the pages of the earlier job.
import { useState } from 'preact/hooks';
import type { Job } from '../api-types.ts';
import { call, query } from '../api.ts';
import { count, words } from '../format.ts';
import { Empty, ErrorNote, OutLink, Skeleton } from '../parts/basics.tsx';
import { DiffView } from '../parts/diff.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { search, setSearch } from '../router.ts';

const kinds = ['added', 'changed', 'removed', 'unknown', 'unchanged'] as const;
type Kind = (typeof kinds)[number];
const perLoad = 400;

interface ChangeRow {
  readonly change: Kind;
  readonly url: string;
  readonly page: number | null;
  readonly reason: string | null;
}

interface ChangeList {
  readonly data: readonly ChangeRow[];
  readonly cursor?: string;
}

export function ChangesView({ job }: { job: Job }) {
  const [kind, setKind] = useState<Kind>();
  const path = `/crawler/jobs/${job.id}/changes`;
  return (
    <section class="ledger">
      {job.changes && (
        <div class="chips" role="group" aria-label="Change">
          {kinds.map((each) => (
            <button
              key={each}
              type="button"
              class="chip"
              aria-pressed={kind === each}
              onClick={() => setKind(kind === each ? undefined : each)}
            >
              {each} <span class="chip-count">{count(job.changes?.[each] ?? 0)}</span>
            </button>
          ))}
        </div>
      )}
      <Rows key={`${kind} ${job.status}`} path={path} job={job} kind={kind} />
      <p class="muted">
        Follow them with <code>{`GET ${location.origin}${path}`}</code>. Unknown pages that are <code>gone</code> are
        removed by <code>{`POST ${location.origin}${path}/accept`}</code>.
      </p>
    </section>
  );
}

function Rows({ path, job, kind }: { path: string; job: Job; kind: Kind | undefined }) {
  const { value, error, reload } = useLoaded(`${path} ${kind} ${job.status}`, (signal) =>
    call<ChangeList>(`${path}${query({ change: kind, limit: perLoad, wait: 0 })}`, { signal }),
  );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={6} />;
  if (value.data.length === 0)
    return (
      <Empty title={job.since === null ? 'This crawl compares with no other' : 'No such change'}>
        <p>A crawl with “since” asks again about the pages of an ended one, and lists here what changed.</p>
      </Empty>
    );
  const changed = value.data.filter(({ change }) => change === 'changed');
  const open = search.value.get('diff') ?? undefined;
  const select = (url: string | undefined): void => setSearch({ diff: url });
  const step = (by: number): void => {
    const next = changed[changed.findIndex(({ url }) => url === open) + by];
    if (next) select(next.url);
  };
  return (
    <>
      {open !== undefined && (
        <DiffView path={`${path}/diff${query({ url: open })}`} step={step} close={() => select(undefined)} />
      )}
      <ul class="urls">
        {value.data.map((row) => (
          <li key={row.url} class="url-line">
            <span class="outcome">
              {row.change}
              {row.reason !== null && <b> {words(row.reason)}</b>}
            </span>
            <OutLink url={row.url}>{row.url}</OutLink>
            {row.page !== null && <a href={`/jobs/${job.id}/pages?page=${row.page}`}>Read page {count(row.page)}</a>}
            {row.change === 'changed' && (
              <button
                type="button"
                class="button button-small"
                aria-pressed={open === row.url}
                onClick={() => select(open === row.url ? undefined : row.url)}
              >
                Compare
              </button>
            )}
          </li>
        ))}
      </ul>
      {value.cursor !== undefined && <p class="muted">These are the first {count(value.data.length)}.</p>}
    </>
  );
}
