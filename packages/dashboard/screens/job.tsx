import { hasEnded, isStopped, type Job, type Progress } from '../api-types.ts';
import { count, duration, plural, rate, shortUrl } from '../format.ts';
import { useLiveJob } from '../live-job.ts';
import { Code, Empty, ErrorNote, ProgressBar, Prose, Skeleton, StatusBadge } from '../parts/basics.tsx';
import { useTitle } from '../parts/hooks.ts';
import { Time } from '../parts/time.tsx';
import { useWaiting } from '../waiting.ts';
import { RequestCode } from '../parts/request-code.tsx';
import { requestOf } from '../request.ts';
import { ChangesView } from './changes.tsx';
import { Deliveries } from './deliveries.tsx';
import { JobActions } from './job-actions.tsx';
import { Overview } from './overview.tsx';
import { Pages } from './pages.tsx';
import { DataView } from './records.tsx';
import { SearchPages } from './search-pages.tsx';
import { Tree } from './tree.tsx';
import { WhyNot } from './why-not.tsx';

const views = [
  ['overview', 'Overview'],
  ['pages', 'Pages'],
  ['urls', 'Why not'],
  ['changes', 'Changes'],
  ['tree', 'Tree'],
  ['search', 'Search'],
  ['request', 'Request'],
] as const;

export function JobScreen({ id, view }: { id: string; view: string }) {
  const live = useLiveJob(id);
  const { job, error, reload } = live;
  const [first = id] = job?.urls ?? [];
  useTitle(shortUrl(first));
  if (!job && error)
    return (
      <div class="page">
        <ErrorNote error={error} retry={reload} />
        <a href="/">All jobs</a>
      </div>
    );
  if (!job)
    return (
      <div class="page">
        <Skeleton lines={8} />
      </div>
    );
  return (
    <div class={`page job-page ${view === 'pages' ? 'page-wide' : ''}`}>
      <p class="crumbs">
        <a href="/">Jobs</a> <span aria-hidden="true">/</span> <code>{job.id}</code>
      </p>
      <div class="title-row">
        <h1>
          {shortUrl(first)}
          {job.urls.length > 1 && <span class="muted"> and {plural(job.urls.length - 1, 'more', 'more')}</span>}
        </h1>
        <StatusBadge job={job} />
        <JobActions job={job} reload={reload} />
      </div>
      <Reason job={job} />
      <Live
        job={job}
        isCompact={view === 'pages'}
        pagesPerSecond={live.pagesPerSecond}
        remainingMs={live.remainingMs}
      />
      <nav class="tabs" aria-label="Views of the job">
        {[
          ...views,
          ...((job['extract'] ?? null) === null ? [] : ([['data', 'Data']] as const)),
          ...(job.webhook_url ? ([['webhooks', 'Webhooks']] as const) : []),
        ].map(([name, title]) => (
          <a
            key={name}
            href={`/jobs/${job.id}${name === 'overview' ? '' : `/${name}`}`}
            aria-current={name === view ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {error && <ErrorNote error={error} retry={reload} />}
      <JobView job={job} view={view} />
    </div>
  );
}

function JobView({ job, view }: { job: Job; view: string }) {
  switch (view) {
    case 'overview':
      return <Overview job={job} />;
    case 'pages':
      return <Pages job={job} />;
    case 'urls':
      return <WhyNot job={job} />;
    case 'changes':
      return <ChangesView job={job} />;
    case 'data':
      return <DataView job={job} />;
    case 'search':
      return <SearchPages job={job} />;
    case 'tree':
      return <Tree job={job} />;
    case 'webhooks':
      return <Deliveries job={job} />;
    case 'request':
      return <RequestOf job={job} />;
    default:
      return (
        <Empty title="There is no such view">
          <p>
            <a href={`/jobs/${job.id}`}>Back to the job</a>
          </p>
        </Empty>
      );
  }
}

/** Why the job stands as it does, where it is seen first. */
function Reason({ job }: { job: Job }) {
  const [finding, ...others] = job.findings;
  if (isStopped(job))
    return (
      <p class="reason-line">
        Stopped <Time at={job.stoppedAt ?? 0} />. Resume continues it from here.
      </p>
    );
  if (!finding) return null;
  return (
    <p class="reason-line">
      <Prose text={finding.message} />{' '}
      {others.length > 0 && <a href={`/jobs/${job.id}`}>{plural(others.length, 'more reason')}</a>}
    </p>
  );
}

const counters: readonly (readonly [keyof Progress, string])[] = [
  ['discovered', 'discovered'],
  ['queued', 'queued'],
  ['inFlight', 'in flight'],
  ['scraped', 'scraped'],
  ['discarded', 'discarded'],
  ['failed', 'failed'],
  ['outside', 'outside'],
];

function Live(props: {
  job: Job;
  isCompact: boolean;
  pagesPerSecond: number | undefined;
  remainingMs: number | undefined;
}) {
  const { job, isCompact, pagesPerSecond, remainingMs } = props;
  const { progress } = job;
  const isRunning = !hasEnded(job);
  const waiting = useWaiting(job);
  return (
    <section class="live" aria-label="Progress">
      <ProgressBar progress={progress} />
      {!isCompact && <Counters job={job} />}
      {waiting !== undefined && (
        <p class="live-line" role="status">
          {waiting}
        </p>
      )}
      <p class="live-line muted">
        {isRunning ? (
          <>
            <span>{pagesPerSecond === undefined ? 'Measuring the rate' : `${rate(pagesPerSecond)} pages/s`}</span>
            {remainingMs !== undefined && <span>about {duration(remainingMs)} for the URLs known so far</span>}
          </>
        ) : (
          job.finishedAt !== null && (
            <>
              <span>took {duration(job.finishedAt - job.createdAt)}</span>
              <span>{rate((progress.scraped * 1000) / Math.max(1, job.finishedAt - job.createdAt))} pages/s</span>
              <Kept job={job} />
            </>
          )
        )}
        <span>
          created <Time at={job.createdAt} />
        </span>
        {job.sitemapPageCount > 0 && <span>{plural(job.sitemapPageCount, 'URL')} from sitemaps</span>}
        {job.reextractOf !== undefined && (
          <span>
            converted from <a href={`/jobs/${job.reextractOf}`}>another job</a>
          </span>
        )}
        {job.schedule !== undefined && (
          <span>
            run of <a href="/schedules">a schedule</a>
          </span>
        )}
        {job.changes && (
          <span>
            <a href={`/jobs/${job.id}/changes`}>
              {count(job.changes.added)} added, {count(job.changes.changed)} changed, {count(job.changes.removed)}{' '}
              removed
            </a>
          </span>
        )}
        {job.retryOf !== undefined && (
          <span>
            retry of <a href={`/jobs/${job.retryOf}`}>another job</a>
          </span>
        )}
      </p>
    </section>
  );
}

/** How long the results of an ended job are kept. */
function Kept({ job: { expiresAt, expired } }: { job: Job }) {
  if (expiresAt === null) return <span>{expired ? 'results removed' : 'kept until deleted'}</span>;
  return (
    <span>
      results {expired ? 'removed' : 'expire'} <Time at={expiresAt} />
    </span>
  );
}

function Counters({ job }: { job: Job }) {
  return (
    <dl class="counters">
      {counters.map(([name, title]) => (
        <div key={name} class={`counter counter-${name}`}>
          <dt>{title}</dt>
          <dd>
            <a
              href={
                name === 'scraped'
                  ? `/jobs/${job.id}/pages`
                  : `/jobs/${job.id}/urls${name === 'discovered' ? '' : `?status=${name}`}`
              }
            >
              {count(job.progress[name])}
            </a>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function RequestOf({ job }: { job: Job }) {
  const path = `${location.origin}/crawler/jobs/${job.id}`;
  const get = (rest: string, lines = false): string =>
    `curl -N -H "Authorization: Bearer $HAYRAKE_TOKEN"${lines ? ' -H "Accept: application/x-ndjson"' : ''} \\\n  '${path}/${rest}'`;
  return (
    <>
      <section class="card" hidden={job.reextractOf !== undefined}>
        <h2>The same request</h2>
        <p class="muted">
          Options with their default values are left out. Headers and cookies of a job are never shown.
        </p>
        <RequestCode kind={job.kind === 'batch' || job.kind === 'map' ? job.kind : 'crawl'} input={requestOf(job)} />
      </section>
      <section class="card">
        <h2>Read it from a program</h2>
        <h3>Pages, one a line, to the end of the job</h3>
        <Code label="Pages as lines" text={get('data', true)} />
        <h3>Chunks for an index, split at headings</h3>
        <Code label="Chunks as lines" text={get('data?chunk=heading', true)} />
        <h3>Pages and progress as server-sent events</h3>
        <Code label="Events" text={get('events')} />
        <h3>URLs with their outcomes</h3>
        <Code label="URLs as lines" text={get('urls', true)} />
      </section>
    </>
  );
}
