import { useEffect, useRef, useState } from 'preact/hooks';
import { hasEnded, isStopped, type Job, type JobList } from '../api-types.ts';
import { call, can, query } from '../api.ts';
import { count, duration, partsOf, rate, shortCount, shortUrl } from '../format.ts';
import { Code, Empty, ErrorNote, ProgressBar, SearchInput, Skeleton, StatusBadge } from '../parts/basics.tsx';
import { Time } from '../parts/time.tsx';
import { useInterval, useKeys, useLoaded, useSettled, useTitle } from '../parts/hooks.ts';
import { go, search, setSearch } from '../router.ts';
import { ReadPage } from './read-page.tsx';
import { SelectedJobs } from './selected-jobs.tsx';

const statuses = ['running', 'stopped', 'succeeded', 'failed', 'cancelled'] as const;
const rows = 50;

export function JobsScreen() {
  const status = search.value.get('status') ?? '';
  const q = search.value.get('q') ?? '';
  const [text, setText] = useState(q);
  const settled = useSettled(text, 250);
  useEffect(() => setSearch({ q: settled }), [settled]);
  const box = useRef<HTMLInputElement>(null);
  const { value, error, reload } = useLoaded(`${status} ${q}`, (signal) =>
    call<JobList>(`/crawler/jobs${query({ limit: rows, status, q })}`, { signal }),
  );
  const key = `${status} ${q}`;
  const known = useKnown(key, value?.data ?? []);
  const [older, setOlder] = useState<{ key: string; cursor: string | undefined }>();
  const jobs = [...known.values()]
    // The service lists stopped jobs among the running ones too.
    .filter((job) => status !== 'running' || !isStopped(job))
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
    const next = await call<JobList>(`/crawler/jobs${query({ limit: rows, status, q, cursor })}`);
    for (const job of next.data) known.set(job.id, job);
    setOlder({ key, cursor: next.cursor });
  };

  return (
    <div class="page">
      <div class="title-row">
        <h1>Jobs</h1>
        {can('write') && (
          <a class="button button-primary" href="/new">
            New job
          </a>
        )}
      </div>
      {can('write') && <ReadPage />}
      <div class="filters">
        <div class="chips" role="group" aria-label="Status">
          <Chip name="All" current={status === ''} to="" total={sum(value)} isCut={value?.countsCut} />
          {statuses.map((each) => (
            <Chip
              key={each}
              name={each}
              current={status === each}
              to={each}
              total={value && countOf(value, each)}
              isCut={value?.countsCut}
            />
          ))}
        </div>
        <SearchInput box={box} label="Filter by start URL" value={text} set={setText} />
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      {!value && !error && <Skeleton lines={6} />}
      {value && jobs.length === 0 && <NoJobs isFiltered={status !== '' || q !== ''} />}
      {selected.length > 0 && <SelectedJobs jobs={selected} clear={() => setChosen(new Set())} reload={reload} />}
      {jobs.length > 0 && <JobTable jobs={jobs} rates={rates} chosen={chosen} choose={choose} />}
      {cursor !== undefined && (
        <button type="button" class="button" onClick={() => void loadMore()}>
          Older jobs
        </button>
      )}
    </div>
  );
}

function JobTable(props: {
  jobs: readonly Job[];
  rates: ReadonlyMap<string, number>;
  chosen: ReadonlySet<string>;
  choose: (ids: readonly string[], isOn: boolean) => void;
}) {
  const { jobs, rates, chosen, choose } = props;
  const ids = jobs.map(({ id }) => id);
  return (
    <table class="jobs">
      <thead>
        <tr>
          <td>
            <input
              type="checkbox"
              aria-label="Select all that are listed"
              checked={ids.every((id) => chosen.has(id))}
              onChange={(event) => choose(ids, event.currentTarget.checked)}
            />
          </td>
          <th scope="col">Start URL</th>
          <th scope="col">State</th>
          <th scope="col">Outcomes</th>
          <th scope="col">Pages</th>
          <th scope="col" class="number">
            Rate or time
          </th>
          <th scope="col" class="number">
            Created
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <JobRow
            key={job.id}
            job={job}
            rate={rates.get(job.id)}
            isChosen={chosen.has(job.id)}
            choose={(isOn) => choose([job.id], isOn)}
          />
        ))}
      </tbody>
    </table>
  );
}

function Chip(props: {
  name: string;
  current: boolean;
  to: string;
  total: number | undefined;
  isCut: boolean | undefined;
}) {
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={props.current}
      onClick={() => setSearch({ status: props.to }, { replace: false })}
    >
      <span class="words">{props.name}</span>
      {props.total !== undefined && (
        <span class="chip-count">
          {shortCount(props.total)}
          {props.isCut === true && '+'}
        </span>
      )}
    </button>
  );
}

function JobRow(props: { job: Job; rate: number | undefined; isChosen: boolean; choose: (isOn: boolean) => void }) {
  const { job, rate: perSecond, isChosen, choose } = props;
  const { progress } = job;
  const [first = job.id, ...others] = job.urls;
  const { host, path } = partsOf(first);
  return (
    <tr>
      <td class="job-choose">
        <input
          type="checkbox"
          aria-label={`Select ${shortUrl(first)}`}
          checked={isChosen}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
      </td>
      <th scope="row" class="job-name">
        <a href={`/jobs/${job.id}`} title={first}>
          <strong>{host}</strong>
          <span class="job-path">{path}</span>
        </a>
        {others.length > 0 && <span class="muted"> and {count(others.length)} more</span>}
        {job.kind !== 'crawl' && <span class="tag">{job.kind}</span>}
        {job.retryOf !== undefined && <span class="tag">retry</span>}
      </th>
      <td class="job-state">
        <StatusBadge job={job} />
      </td>
      <td class="job-bar">
        <ProgressBar progress={progress} />
      </td>
      <td class="job-pages">
        <b>{shortCount(progress.scraped)}</b> {progress.scraped === 1 ? 'page' : 'pages'}
        {progress.failed > 0 && <span class="bad"> · {shortCount(progress.failed)} failed</span>}
      </td>
      <td class="job-rate number muted">
        {!hasEnded(job) && perSecond !== undefined
          ? `${rate(perSecond)} pages/s`
          : job.finishedAt === null
            ? ''
            : duration(job.finishedAt - job.createdAt)}
      </td>
      <td class="job-age number muted">
        <Time at={job.createdAt} />
      </td>
    </tr>
  );
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

/** `running` counts those that are starting, and not those that are stopped. */
function countOf({ counts }: JobList, status: (typeof statuses)[number]): number {
  return status === 'running' ? counts.running + counts.starting - counts.stopped : counts[status];
}

function sum(list: JobList | undefined): number | undefined {
  return list && statuses.reduce((total, each) => total + countOf(list, each), 0);
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No job matches">
        <p>Choose another status, or clear the filter.</p>
      </Empty>
    );
  return (
    <Empty title="Nothing crawled yet">
      <p>A job starts at one or more URLs, follows the links of the site, and keeps every page as Markdown.</p>
      {can('write') && (
        <p>
          <a class="button button-primary" href="/new">
            Create the first job
          </a>
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
