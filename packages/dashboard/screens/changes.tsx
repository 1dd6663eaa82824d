// What a job with `since` found out about the pages of the earlier job.
import { useState } from 'preact/hooks';
import { hasEnded, type Job, type List } from '../api-types.ts';
import { call, can, query } from '../api.ts';
import { count, words } from '../format.ts';
import { Empty, OutLink } from '../parts/basics.tsx';
import { LinkButton } from '../parts/button.tsx';
import { Chips, ConfirmButton } from '../parts/controls.tsx';
import { CompareButton, ComparedPage } from '../parts/diff.tsx';
import { useGet } from '../parts/loaded.tsx';

const kinds = ['added', 'changed', 'moved', 'removed', 'unknown', 'unchanged'] as const;
type Kind = (typeof kinds)[number];
const perLoad = 400;

interface ChangeRow {
  readonly change: Kind;
  readonly url: string;
  readonly page: number | null;
  readonly movedTo?: string;
  readonly reason: string | null;
}

export function ChangesView({ job }: { job: Job }) {
  const [kind, setKind] = useState<Kind>();
  const [round, setRound] = useState(0);
  const path = `/crawler/jobs/${job.id}/changes`;
  return (
    <section class="stack">
      {job.changes && (
        <Chips
          label="Change"
          choices={kinds.map((each) => [each, each, job.changes?.[each] ?? 0] as const)}
          chosen={kind}
          choose={(each, wasOn) => setKind(wasOn ? undefined : each)}
        />
      )}
      <Rows key={`${kind} ${job.status} ${round}`} path={path} job={job} kind={kind} />
      {(job.changes?.unknown ?? 0) > 0 && can('write') && (
        <ConfirmButton
          label="Accept what the site shows"
          question="Unknown pages that seem to be gone count as removed at once; others as the next run finds them."
          confirm="Accept"
          dismiss="Not yet"
          isHarmless
          act={() => call(`${path}/accept`, { method: 'POST' }).then(() => setRound(round + 1))}
        />
      )}
      {job.changes && (
        <p class="muted">
          Programs read them from <code>{`GET ${location.origin}${path}`}</code>.
        </p>
      )}
    </section>
  );
}

function Rows({ path, job, kind }: { path: string; job: Job; kind: Kind | undefined }) {
  const { value, notice } = useGet<List<ChangeRow>>(`${path}${query({ change: kind, limit: perLoad, wait: 0 })}`);
  if (notice || !value) return notice;
  if (value.data.length === 0)
    return (
      <Empty
        title={job.since === null ? 'This crawl compares with no other' : 'No such change'}
        text="A crawl that compares asks again about the pages of an ended one, and lists here what changed."
      >
        {hasEnded(job) && (
          <LinkButton
            kind="primary"
            label="Crawl again and compare"
            href={`/new${query({ from: job.id, since: job.id })}`}
          />
        )}
      </Empty>
    );
  const changed = value.data.filter(({ change }) => change === 'changed');
  return (
    <>
      <ComparedPage path={path} rows={changed} />
      <ul class="urls">
        {value.data.map((row) => (
          <li key={row.url} class="url-line">
            <span class="outcome">
              {row.change}
              {row.reason !== null && <b> {words(row.reason)}</b>}
            </span>
            <OutLink url={row.url}>{row.url}</OutLink>
            {row.movedTo !== undefined && <OutLink url={row.movedTo}>{row.movedTo}</OutLink>}
            {row.page !== null && <a href={`/jobs/${job.id}/pages?page=${row.page}`}>Read page {count(row.page)}</a>}
            {row.change === 'changed' && <CompareButton path={path} url={row.url} />}
          </li>
        ))}
      </ul>
      {value.cursor !== undefined && <p class="muted">These are the first {count(value.data.length)}.</p>}
    </>
  );
}
