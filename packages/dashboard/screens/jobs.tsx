import { useRef, useState } from 'preact/hooks';
import { hasEnded, isStopped, type Job, type JobList, type Progress } from '../api-types.ts';
import { call, can, query } from '../api.ts';
import { count, duration, partsOf, rate, shortCount, shortUrl } from '../format.ts';
import { Code, Empty, ProgressBar, stateOf, StatusBadge } from '../parts/basics.tsx';
import { Button, LinkButton } from '../parts/button.tsx';
import { Check, Chips, SearchInput } from '../parts/controls.tsx';
import { useInterval, useKeys, useSearchText, useTitle } from '../parts/hooks.ts';
import { useGet } from '../parts/loaded.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { go, search, setSearch } from '../router.ts';
import { ReadPage } from './read-page.tsx';
import { SelectedJobs } from './selected-jobs.tsx';

const statuses = ['running', 'stopped', 'succeeded', 'failed', 'cancelled'] as const;
/** Of those that succeeded, found among the jobs that are listed: the service does not count it. */
const incomplete = 'incomplete';
const rows = 50;

export function JobsScreen() {
  const status = search.value.get('status') ?? '';
  const q = search.value.get('q') ?? '';
  const [text, setText] = useSearchText('q');
  const box = useRef<HTMLInputElement>(null);
  const asked = { limit: rows, status: status === incomplete ? 'succeeded' : status, q };
  const { value, notice, reload } = useGet<JobList>(`/crawler/jobs${query(asked)}`);
  const key = `${status} ${q}`;
  const known = useKnown(key, value?.data ?? []);
  const [older, setOlder] = useState<{ key: string; cursor: string | undefined }>();
  const jobs = [...known.values()]
    // The service lists stopped jobs among the running ones too.
    .filter((job) => status !== 'running' || !isStopped(job))
    .filter((job) => status !== incomplete || stateOf(job)[0] === incomplete)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const cursor = older?.key === key ? older.cursor : value?.cursor;
  const isLive = (value?.data ?? []).some((job) => !hasEnded(job));
  useInterval(reload, isLive ? 2_000 : 10_000);
  const rates = useRates(value?.data ?? []);
  useTitle('Jobs');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const selected = jobs.filter(({ id }) => chosen.has(id));
  const choose = (ids: readonly string[], isOn: boolean): void =>
    setChosen((last) => new Set(isOn ? [...last, ...ids] : [...last].filter((id) => !ids.includes(id))));
  useKeys({ n: () => go('/new'), '/': () => box.current?.focus() });

  const loadMore = async (): Promise<void> => {
    const next = await call<JobList>(`/crawler/jobs${query({ ...asked, cursor })}`);
    for (const job of next.data) known.set(job.id, job);
    setOlder({ key, cursor: next.cursor });
  };

  return (
    <div class="page">
      <div class="title-row">
        <h1>Jobs</h1>
        {can('write') && <LinkButton kind="primary" label="New job" href="/new" />}
      </div>
      {can('write') && <ReadPage />}
      <div class="filters">
        <Chips
          words
          label="Status"
          choices={[
            ...['', ...statuses].map((each) => [each, each || 'All', value && countOf(value, each)] as const),
            [incomplete, incomplete],
          ]}
          chosen={status}
          choose={(each) => setSearch({ status: each }, { replace: false })}
          isCut={value?.countsCut}
        />
        <SearchInput box={box} label="Filter by start URL" value={text} set={setText} />
      </div>
      {notice}
      {value && jobs.length === 0 && <NoJobs isFiltered={status !== '' || q !== ''} />}
      {selected.length > 0 && <SelectedJobs jobs={selected} clear={() => setChosen(new Set())} reload={reload} />}
      {jobs.length > 0 && (
        <Table
          class="jobs"
          columns={[choice(jobs, chosen, choose), ...columnsWith(rates)]}
          rows={jobs}
          keyOf={({ id }) => id}
        />
      )}
      {cursor !== undefined && <Button label="Older jobs" click={loadMore} />}
    </div>
  );
}

/** The column of boxes that select jobs. */
function choice(
  jobs: readonly Job[],
  chosen: ReadonlySet<string>,
  choose: (ids: readonly string[], isOn: boolean) => void,
): Column<Job> {
  const box = (label: string, ids: readonly string[]) => (
    <Check aria-label={label} checked={ids.every((id) => chosen.has(id))} set={(isOn) => choose(ids, isOn)} />
  );
  return {
    title: box(
      'Select all that are listed',
      jobs.map(({ id }) => id),
    ),
    cell: ({ id, urls }) => box(`Select ${shortUrl(urls[0] ?? id)}`, [id]),
    class: 'job-choose',
  };
}

function columnsWith(rates: ReadonlyMap<string, number>): readonly Column<Job>[] {
  return [
    { title: 'Start URL', cell: (job) => <JobName job={job} />, class: 'job-name', isName: true },
    { title: 'State', cell: (job) => <StatusBadge job={job} /> },
    { title: 'Outcomes', cell: ({ progress }) => <ProgressBar progress={progress} />, class: 'job-bar' },
    { title: 'Pages', cell: ({ progress }) => <Pages progress={progress} />, class: 'job-pages' },
    { title: 'Rate or time', cell: (job) => rateOrTime(job, rates.get(job.id)), class: 'job-rate number' },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, class: 'job-age number' },
  ];
}

function JobName({ job: { id, urls, kind, retryOf } }: { job: Job }) {
  const [first = id, ...others] = urls;
  const { host, path } = partsOf(first);
  return (
    <>
      <a href={`/jobs/${id}`} title={first}>
        <strong>{host}</strong>
        <span class="muted">{path}</span>
      </a>
      {others.length > 0 && <span class="muted"> and {count(others.length)} more</span>}
      {kind !== 'crawl' && <span class="tag">{kind}</span>}
      {retryOf !== undefined && <span class="tag">retry</span>}
    </>
  );
}

function Pages({ progress: { scraped, failed } }: { progress: Progress }) {
  return (
    <>
      <b>{shortCount(scraped)}</b> {scraped === 1 ? 'page' : 'pages'}
      {failed > 0 && <span class="bad"> · {shortCount(failed)} failed</span>}
    </>
  );
}

function rateOrTime(job: Job, perSecond: number | undefined): string {
  if (isStopped(job)) return '-';
  if (!hasEnded(job) && perSecond !== undefined) return `${rate(perSecond)} pages/s`;
  return job.finishedAt === null ? '' : duration(job.finishedAt - job.createdAt);
}

/** The jobs that were listed so far under a key: lists that are loaded later meet new jobs. Ids sort newest first. */
function useKnown(key: string, jobs: readonly Job[]): Map<string, Job> {
  const known = useRef({ key, jobs: new Map<string, Job>() });
  if (known.current.key !== key) known.current = { key, jobs: new Map() };
  for (const job of jobs) known.current.jobs.set(job.id, job);
  return known.current.jobs;
}

/** Pages per second of running jobs, from one look to the next. */
function useRates(jobs: readonly Job[]): ReadonlyMap<string, number> {
  const seen = useRef(new Map<string, { at: number; scraped: number; rate?: number }>());
  const now = performance.now();
  for (const { id, progress } of jobs) {
    const last = seen.current.get(id);
    if (!last) seen.current.set(id, { at: now, scraped: progress.scraped });
    else if (now - last.at >= 1_500)
      seen.current.set(id, {
        at: now,
        scraped: progress.scraped,
        rate: ((progress.scraped - last.scraped) * 1000) / (now - last.at),
      });
  }
  return new Map([...seen.current].flatMap(([id, { rate: known }]) => (known === undefined ? [] : [[id, known]])));
}

/** Without a status all of them. `running` counts those that are starting, and not those that are stopped. */
function countOf(list: JobList, status: string): number {
  const { counts } = list;
  if (status === '') return statuses.reduce((total, each) => total + countOf(list, each), 0);
  if (status === 'running') return counts.running + counts.starting - counts.stopped;
  return counts[status as (typeof statuses)[number]];
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No job matches" text="Choose another status, or clear the filter." />;
  return (
    <Empty title="Nothing crawled yet">
      <p>A job starts at one or more URLs, follows the links of the site, and keeps every page as Markdown.</p>
      {can('write') && (
        <p>
          <LinkButton kind="primary" label="Create the first job" href="/new" />
        </p>
      )}
      <p class="muted">Or from a terminal:</p>
      <Code
        label="Command that creates a job"
        text={`curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n  -d '{"urls":["https://example.com"]}' ${location.origin}/crawler/jobs`}
      />
    </Empty>
  );
}
