import { useEffect, useRef, useState } from 'preact/hooks';
import { hasEnded, type Job, type JobList, type JobStatus } from '../api-types.ts';
import { call, can, query } from '../api.ts';
import { count, duration, rate, shortCount, shortUrl } from '../format.ts';
import { Age, Code, Empty, ErrorNote, ProgressBar, Skeleton, StatusBadge } from '../parts/basics.tsx';
import { useInterval, useKeys, useLoaded, useSettled } from '../parts/hooks.ts';
import { go, search, setSearch } from '../router.ts';

const statuses: readonly JobStatus[] = ['running', 'succeeded', 'failed', 'cancelled'];
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
  const jobs = [...known.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const cursor = older?.key === key ? older.cursor : value?.cursor;
  const isLive = (value?.data ?? []).some((job) => !hasEnded(job));
  useInterval(reload, isLive ? 2_000 : 10_000);
  const rates = useRates(value?.data ?? []);
  useEffect(() => void (document.title = 'Jobs · hayrake'), []);
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
      <div class="filters">
        <div class="chips" role="group" aria-label="Status">
          <Chip name="All" current={status === ''} to="" total={sum(value)} isCut={value?.countsCut} />
          {statuses.map((each) => (
            <Chip
              key={each}
              name={each}
              current={status === each}
              to={each}
              total={value?.counts[each]}
              isCut={value?.countsCut}
            />
          ))}
        </div>
        <input
          ref={box}
          type="search"
          class="search"
          placeholder="Filter by start URL"
          aria-label="Filter by start URL"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      {!value && !error && <Skeleton lines={6} />}
      {value && jobs.length === 0 && <NoJobs isFiltered={status !== '' || q !== ''} />}
      {jobs.length > 0 && (
        <ul class="jobs">
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} rate={rates.get(job.id)} />
          ))}
        </ul>
      )}
      {cursor !== undefined && (
        <button type="button" class="button" onClick={() => void loadMore()}>
          Older jobs
        </button>
      )}
    </div>
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
      {props.name}
      {props.total !== undefined && (
        <span class="chip-count">
          {shortCount(props.total)}
          {props.isCut === true && '+'}
        </span>
      )}
    </button>
  );
}

function JobRow({ job, rate: perSecond }: { job: Job; rate: number | undefined }) {
  const { progress } = job;
  const [first = job.id, ...others] = job.urls;
  const isRunning = !hasEnded(job);
  return (
    <li>
      <a class="job" href={`/jobs/${job.id}`}>
        <span class="job-name">
          <strong>{shortUrl(first)}</strong>
          {others.length > 0 && <span class="muted"> and {count(others.length)} more</span>}
          {job.kind !== 'crawl' && <span class="tag">{job.kind}</span>}
          {job.retryOf !== undefined && <span class="tag">retry</span>}
        </span>
        <StatusBadge job={job} />
        <ProgressBar progress={progress} />
        <span class="job-pages">
          <b>{shortCount(progress.scraped)}</b> pages
          {progress.failed > 0 && <span class="bad"> · {shortCount(progress.failed)} failed</span>}
        </span>
        <span class="job-rate muted">
          {isRunning && perSecond !== undefined
            ? `${rate(perSecond)} pages/s`
            : job.finishedAt === null
              ? ''
              : duration(job.finishedAt - job.createdAt)}
        </span>
        <span class="job-age muted">
          <Age at={job.createdAt} />
        </span>
      </a>
    </li>
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

function sum(list: JobList | undefined): number | undefined {
  return list && Object.values(list.counts).reduce((total, each) => total + each, 0);
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
