import type { ComponentChildren } from 'preact';
import { hasEnded, isStopped, type Job } from '../api-types.ts';
import { changesText, duration, plural, rate, shortUrl } from '../format.ts';
import { type LiveJob, useLiveJob } from '../live-job.ts';
import { Card, Code, Empty, ErrorNote, ProgressBar, Prose, Skeleton, StatusBadge } from '../parts/basics.tsx';
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

type View = readonly [name: string, title: string, Shown: (props: { job: Job }) => ComponentChildren];

const views: readonly View[] = [
  ['overview', 'Overview', Overview],
  ['pages', 'Pages', Pages],
  ['urls', 'Why not', WhyNot],
  ['changes', 'Changes', ChangesView],
  ['tree', 'Tree', Tree],
  ['search', 'Search', SearchPages],
  ['request', 'Request', RequestOf],
  ['data', 'Data', DataView],
  ['webhooks', 'Webhooks', Deliveries],
];

export function JobScreen({ id, view }: { id: string; view: string }) {
  const live = useLiveJob(id);
  const { job, error, reload } = live;
  const [first = id] = job?.urls ?? [];
  useTitle(shortUrl(first));
  if (!job)
    return (
      <div class="page">
        {error ? <ErrorNote error={error} retry={reload} /> : <Skeleton lines={8} />}
        {error && <a href="/">All jobs</a>}
      </div>
    );
  return (
    <div class={`page job-page ${view === 'pages' ? 'page-wide' : ''}`}>
      <div class="title-row">
        <h1>
          {shortUrl(first)}
          {job.urls.length > 1 && <span class="muted"> and {plural(job.urls.length - 1, 'more', 'more')}</span>}
        </h1>
        <StatusBadge job={job} />
        <JobActions job={job} reload={reload} />
      </div>
      <Reason job={job} />
      <Live live={live} job={job} />
      <nav class="tabs" aria-label="Views of the job">
        {views
          .filter(([name]) => name !== 'webhooks' || Boolean(job.webhook_url))
          .map(([name, title]) => (
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
  const [, , Shown] = views.find(([name]) => name === view) ?? [];
  if (Shown) return <Shown job={job} />;
  return (
    <Empty title="There is no such view">
      <p>
        <a href={`/jobs/${job.id}`}>Back to the job</a>
      </p>
    </Empty>
  );
}

/** Why the job stands as it does, where it is seen first. */
function Reason({ job }: { job: Job }) {
  const [finding, ...others] = job.findings;
  if (isStopped(job))
    return (
      <p class="reason-line clip">
        Stopped <Time at={job.stoppedAt ?? 0} />. Resume continues it from here.
      </p>
    );
  if (!finding) return null;
  return (
    <p class="reason-line clip" title={finding.message}>
      {others.length > 0 && <a href={`/jobs/${job.id}`}>{plural(others.length, 'more reason')}</a>}{' '}
      <Prose text={finding.message} />
    </p>
  );
}

function Live(props: { live: LiveJob; job: Job }) {
  const { job } = props;
  const waiting = useWaiting(job);
  const { changes } = job;
  return (
    <section class="live stack" aria-label="Progress">
      <ProgressBar progress={job.progress} />
      <p class="live-line small muted">
        <code>{job.id}</code>
        {waiting !== undefined && (
          <b class="clip" role="status" title={waiting}>
            {waiting}
          </b>
        )}
        {hasEnded(job) ? <Ended job={job} /> : isStopped(job) ? <span>- pages/s</span> : <Pace {...props.live} />}
        <span>
          created <Time at={job.createdAt} />
        </span>
        {job.sitemapPageCount > 0 && <span>{plural(job.sitemapPageCount, 'URL')} from sitemaps</span>}
        <Linked text="converted from" to={job.reextractOf} />
        {job.schedule !== undefined && (
          <span>
            run of <a href="/schedules">a schedule</a>
          </span>
        )}
        {changes && <a href={`/jobs/${job.id}/changes`}>{changesText(changes)}</a>}
        <Linked text="retry of" to={job.retryOf} />
      </p>
    </section>
  );
}

function Pace({ pagesPerSecond, remainingMs }: Pick<LiveJob, 'pagesPerSecond' | 'remainingMs'>) {
  return (
    <>
      <span>{pagesPerSecond === undefined ? 'Measuring the rate' : `${rate(pagesPerSecond)} pages/s`}</span>
      {remainingMs !== undefined && <span>about {duration(remainingMs)} for the URLs known so far</span>}
    </>
  );
}

function Ended({ job }: { job: Job }) {
  if (job.finishedAt === null) return null;
  const tookMs = job.finishedAt - job.createdAt;
  return (
    <>
      <span>took {duration(tookMs)}</span>
      <span>{rate((job.progress.scraped * 1000) / Math.max(1, tookMs))} pages/s</span>
      <Kept job={job} />
    </>
  );
}

/** The job that this one was made from. */
function Linked({ text, to }: { text: string; to: string | undefined }) {
  if (to === undefined) return null;
  return (
    <span>
      {text} <a href={`/jobs/${to}`}>another job</a>
    </span>
  );
}

/** How long the results of an ended job are kept. */
function Kept({ job: { expiresAt, expired } }: { job: Job }) {
  if (expiresAt === null) return expired && <span>results removed</span>;
  return (
    <span>
      results {expired ? 'removed' : 'expire'} <Time at={expiresAt} />
    </span>
  );
}

function RequestOf({ job }: { job: Job }) {
  const path = `${location.origin}/crawler/jobs/${job.id}`;
  const get = (rest: string, lines = false): string =>
    `curl -N -H "Authorization: Bearer $HAYRAKE_TOKEN"${lines ? ' -H "Accept: application/x-ndjson"' : ''} \\\n  '${path}/${rest}'`;
  return (
    <>
      {job.reextractOf === undefined && (
        <Card title="The same request">
          <p class="muted">
            Options with their default values are left out. Headers and cookies of a job are never shown.
          </p>
          <RequestCode kind={job.kind === 'batch' || job.kind === 'map' ? job.kind : 'crawl'} input={requestOf(job)} />
        </Card>
      )}
      <Card title="Read it from a program">
        <h3>Pages, one a line, to the end of the job</h3>
        <Code label="Pages as lines" text={get('data', true)} />
        <h3>Chunks for an index, split at headings</h3>
        <Code label="Chunks as lines" text={get('data?chunk=heading', true)} />
        <h3>Pages and progress as server-sent events</h3>
        <Code label="Events" text={get('events')} />
        <h3>URLs with their outcomes</h3>
        <Code label="URLs as lines" text={get('urls', true)} />
      </Card>
    </>
  );
}
