import { useEffect, useRef, useState } from 'preact/hooks';
import { type Finding, hasEnded, type Job, type Notice, type Progress } from '../api-types.ts';
import { call, can } from '../api.ts';
import { count, duration, plural, rate, shortUrl, words } from '../format.ts';
import { useLiveJob } from '../live-job.ts';
import { ConfirmButton, Empty, ErrorNote, ProgressBar, Skeleton, StatusBadge } from '../parts/basics.tsx';
import { Time } from '../parts/time.tsx';
import { RateChart, type Series } from '../parts/rate-chart.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { useWaiting } from '../waiting.ts';
import { RequestCode } from '../parts/request-code.tsx';
import { go } from '../router.ts';
import { Deliveries } from './deliveries.tsx';
import { Pages } from './pages.tsx';
import { SearchPages } from './search-pages.tsx';
import { Tree } from './tree.tsx';
import { WhyNot } from './why-not.tsx';

const views = [
  ['overview', 'Overview'],
  ['pages', 'Pages'],
  ['urls', 'Why not'],
  ['tree', 'Tree'],
  ['search', 'Search'],
  ['request', 'Request'],
] as const;

export function JobScreen({ id, view }: { id: string; view: string }) {
  const live = useLiveJob(id);
  const { job, error, reload } = live;
  const [first = id] = job?.urls ?? [];
  useEffect(() => void (document.title = `${shortUrl(first)} · hayrake`), [first]);
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
        <Actions job={job} reload={reload} />
      </div>
      <Live
        job={job}
        isCompact={view === 'pages'}
        pagesPerSecond={live.pagesPerSecond}
        remainingMs={live.remainingMs}
      />
      <nav class="tabs" aria-label="Views of the job">
        {[...views, ...(job.webhook_url ? ([['webhooks', 'Webhooks']] as const) : [])].map(([name, title]) => (
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

function Actions({ job, reload }: { job: Job; reload: () => void }) {
  const url = `/crawler/jobs/${job.id}`;
  if (!can('write'))
    return (
      <div class="actions">
        <ExportMenu job={job} />
      </div>
    );
  const retry = async (): Promise<void> => {
    const created = await call<Job>(`${url}/retry`, { method: 'POST', json: {} });
    go(`/jobs/${created.id}`);
  };
  return (
    <div class="actions">
      <ExportMenu job={job} />
      {!hasEnded(job) && (
        <ConfirmButton
          label="Cancel"
          question="Stop this crawl? Pages that were crawled stay readable. A cancelled job cannot continue."
          confirm="Cancel the job"
          act={async () => {
            await call(`${url}/cancel`, { method: 'POST' });
            reload();
          }}
        />
      )}
      {hasEnded(job) && job.progress.failed > 0 && (
        <ConfirmButton
          label="Retry failed"
          question={`Crawl ${plural(job.progress.failed, 'failed URL')} again, as a new job with the same options?`}
          confirm="Retry"
          act={retry}
        />
      )}
      {job.expiresAt !== null && !job.expired && (
        <ConfirmButton
          label="Keep results"
          question="Keep the results of this job until somebody deletes them? They take room on the disk meanwhile."
          confirm="Keep them"
          dismiss="Cancel"
          isHarmless
          act={async () => {
            await call(url, { method: 'PATCH', json: { output_expiry: null } });
            reload();
          }}
        />
      )}
      <a class="button" href={`/new?from=${job.id}`}>
        Crawl again
      </a>
      <ConfirmButton
        label="Delete"
        question="Delete the results of this job? Its pages and URLs cannot be read afterwards."
        confirm="Delete the results"
        act={async () => {
          await call(url, { method: 'DELETE' });
          go('/');
        }}
      />
    </div>
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

function Overview({ job }: { job: Job }) {
  const reasons = Object.entries(job.reasons).toSorted(([, one], [, other]) => other - one);
  const most = reasons[0]?.[1] ?? 1;
  return (
    <div class="overview">
      <section class="card overview-chart">
        <h2>Rate</h2>
        <Rate job={job} />
      </section>
      <section class="card">
        <h2>Why URLs are not pages</h2>
        {reasons.length === 0 ? (
          <p class="muted">
            {hasEnded(job)
              ? 'Every URL that was found became a page.'
              : 'Every URL that was found so far became a page, or is to become one.'}
          </p>
        ) : (
          <ul class="reasons">
            {reasons.map(([reason, total]) => (
              <li key={reason}>
                <a href={`/jobs/${job.id}/urls?reason=${encodeURIComponent(reason)}`}>
                  <span class="reason-name">{words(reason)}</span>
                  <span class="reason-count">{count(total)}</span>
                  <span class="reason-bar" style={{ width: `${Math.max(1, (100 * total) / most)}%` }} />
                </a>
              </li>
            ))}
          </ul>
        )}
      </section>
      {job.findings.length > 0 && (
        <section class="card overview-findings">
          <h2>{hasEnded(job) ? 'Why the result is incomplete' : 'What is missing so far'}</h2>
          <ul class="findings">
            {job.findings.map((finding) => (
              <FindingLine key={finding.code} finding={finding} />
            ))}
          </ul>
        </section>
      )}
      {job.notices.length > 0 && (
        <section class="card overview-notices">
          <h2>Notices</h2>
          <ul class="notices">
            {job.notices.map((notice) => (
              <NoticeLine key={notice.code} notice={notice} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function FindingLine({ finding: { code, message, remedy } }: { finding: Finding }) {
  return (
    <li>
      <strong>{words(code)}</strong>
      <span>{message}</span>
      <span class="muted">{remedy}</span>
    </li>
  );
}

function NoticeLine({ notice: { code, message, at, count: times, example } }: { notice: Notice }) {
  return (
    <li>
      <code>{code}</code>
      <span>
        {message}
        {times !== undefined && times > 1 && ` (${count(times)} times)`}
        {example !== undefined && <span class="muted"> For example {example}</span>}
      </span>
      <span class="muted">
        <Time at={at} />
      </span>
    </li>
  );
}

interface Stats {
  readonly step: number;
  readonly data: readonly { readonly at: number; readonly scraped: number; readonly queued: number }[];
}

/** How often the chart is redrawn. */
const statsEveryMs = 2_000;

function Rate({ job }: { job: Job }) {
  const isRunning = !hasEnded(job);
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (!isRunning) {
      setRound((last) => last + 1);
      return undefined;
    }
    const timer = setInterval(() => document.hidden || setRound((last) => last + 1), statsEveryMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  const shown = useRef<Stats>(undefined);
  const { value, error } = useLoaded(`${job.id} ${round}`, (signal) =>
    call<Stats>(`/crawler/jobs/${job.id}/stats`, { signal }),
  );
  if (value) shown.current = value;
  const stats = shown.current;
  if (error && !stats) return <ErrorNote error={error} />;
  if (!stats) return <div class="chart chart-waiting" aria-hidden="true" />;
  if (stats.data.length < 2)
    return (
      <p class="chart-waiting muted">
        {isRunning ? 'The first seconds are being measured.' : 'The job was too short to be charted.'}
      </p>
    );
  return <RateChart series={seriesOf(job, stats)} />;
}

/** Steps without change are left out of the response: the rate of a step is over its own length, and zero before it. */
function seriesOf(job: Job, { step, data }: Stats): Series {
  const times = [Math.floor(job.createdAt / 1000)];
  const rates = [0];
  const queue = [0];
  let last = job.createdAt;
  for (const { at, scraped, queued } of data) {
    if (at - last > 2 * step) {
      times.push((at - step) / 1000);
      rates.push(0);
      queue.push(queue.at(-1) ?? 0);
    }
    times.push(at / 1000);
    rates.push((scraped * 1000) / Math.max(1, Math.min(step, at - last)));
    queue.push(queued);
    last = at;
  }
  return [times, rates, queue];
}

/** What of a job is not an option of the request that created it. */
const computed = new Set(
  [
    'id org status createdAt finishedAt expiresAt expired kind sitemapPageCount progress reasons notices webhookFails retryOf costCents urlCount fetchedBytes stoppedAt',
  ].flatMap((names) => names.split(' ')),
);

export function requestOf(job: Job): Readonly<Record<string, unknown>> {
  const fetchLimit = Math.max(1_000, 10 * job.page_limit);
  return Object.fromEntries(
    Object.entries(job).filter(
      ([name, value]) =>
        !computed.has(name) &&
        value !== null &&
        // Shown with the value that follows from other options.
        !(name === 'fetch_limit' && value === fetchLimit) &&
        !(name === 'include_elements' && value === '') &&
        !(name === 'exclude_elements' && value === '' && job['content'] === 'auto'),
    ),
  );
}

function RequestOf({ job }: { job: Job }) {
  return (
    <section class="card">
      <h2>The same request</h2>
      <p class="muted">Options with their default values are left out. Headers and cookies of a job are never shown.</p>
      <RequestCode input={requestOf(job)} />
    </section>
  );
}
