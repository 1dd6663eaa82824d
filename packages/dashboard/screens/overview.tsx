// How a job goes: why its result is incomplete, its rate, the reasons of URLs that are no pages, notices.
import { useEffect } from 'preact/hooks';
import { type Finding, hasEnded, type Job, type Notice, type Stats } from '../api-types.ts';
import { query } from '../api.ts';
import { count, sortedReasons, words } from '../format.ts';
import { Card, ErrorNote, Prose } from '../parts/basics.tsx';
import { useGet } from '../parts/loaded.tsx';
import { RateChart, type Series } from '../parts/rate-chart.tsx';
import { Time } from '../parts/time.tsx';
import { isAsked } from '../request.ts';

const rulesShown = 10;

export function Overview({ job }: { job: Job }) {
  const isDone = hasEnded(job);
  const isAllAsked = job.findings.every((finding) => isAsked(job, finding));
  const leftOut = Object.entries(job.droppedWords).slice(0, rulesShown);
  return (
    <div class="overview">
      <Counters job={job} />
      <Rate job={job} />
      <Card title="Why URLs are not pages">
        {Object.keys(job.reasons).length === 0 ? (
          <p class="muted">
            {isDone
              ? 'Every URL that was found became a page.'
              : 'Every URL that was found so far became a page, or is to become one.'}
          </p>
        ) : (
          <Reasons job={job} />
        )}
      </Card>
      {leftOut.length > 0 && (
        <Card title="Words left out of pages, by rule">
          <p class="muted">
            Menus, footers and the like, which stand on many pages. <b>Left out</b> shows them for each page,{' '}
            <a href={`/jobs/${job.id}/pages?page=1&view=left`}>the first one</a> for example.
          </p>
          <ul class="reasons stack gap-2">
            {leftOut.map(([rule, total]) => (
              <li key={rule}>
                <span class="words">{words(rule)}</span> <span>about {count(total)}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {job.findings.length > 0 && (
        <Card
          class={`overview-wide overview-${isAllAsked ? 'asked' : 'findings'}`}
          title={findingsTitle(job, isAllAsked)}
        >
          <ul class="stack">
            {job.findings.map((finding) => (
              <FindingLine key={finding.code} finding={finding} />
            ))}
          </ul>
        </Card>
      )}
      {job.notices.length > 0 && (
        <Card class="overview-wide" title="Notices">
          <ul class="notices stack gap-10">
            {job.notices.map((notice) => (
              <NoticeLine key={notice.code} notice={notice} />
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

function findingsTitle(job: Job, isAllAsked: boolean): string {
  if (!hasEnded(job)) return 'What is missing so far';
  if (job.status === 'failed') return 'Why the job failed';
  return isAllAsked ? 'Where the job ended, as asked' : 'Why the result is incomplete';
}

const counters = ['discovered', 'queued', 'inFlight', 'scraped', 'discarded', 'failed', 'outside'] as const;

function Counters({ job }: { job: Job }) {
  const path = `/jobs/${job.id}`;
  return (
    <dl class="counters overview-wide">
      {counters.map((name) => (
        <div key={name} class={`counter counter-${name}`}>
          <dt class="tiny">{name === 'inFlight' ? 'in flight' : name}</dt>
          <dd>
            <a
              href={
                name === 'scraped'
                  ? `${path}/pages`
                  : `${path}/urls${query({ status: name === 'discovered' ? '' : name })}`
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

function Reasons({ job: { id, reasons } }: { job: Job }) {
  const sorted = sortedReasons(reasons);
  const most = sorted[0]?.[1] ?? 1;
  return (
    <ul class="reasons stack gap-2">
      {sorted.map(([reason, total]) => (
        <li key={reason}>
          <a href={`/jobs/${id}/urls${query({ reason })}`}>
            <span class="words">{words(reason)}</span>
            <span>{count(total)}</span>
            <span class="reason-bar" style={{ width: `${Math.max(1, (100 * total) / most)}%` }} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function FindingLine({ finding: { code, message, remedy } }: { finding: Finding }) {
  return (
    <li class="stack gap-2 break">
      <strong>{words(code)}</strong>
      <Prose text={message} />
      <Prose class="muted" text={remedy} />
    </li>
  );
}

function NoticeLine({ notice: { code, message, at, count: times, example } }: { notice: Notice }) {
  return (
    <li>
      <code>{code}</code>
      <span>
        <Prose text={message} />
        {times !== undefined && times > 1 && ` (${count(times)} times)`}
        {example !== undefined && <span class="muted"> For example {example}</span>}
      </span>
      <span class="muted">
        <Time at={at} />
      </span>
    </li>
  );
}

/** How often the chart is redrawn. */
const statsEveryMs = 2_000;

function Rate({ job }: { job: Job }) {
  const isDone = hasEnded(job);
  const path = `/crawler/jobs/${job.id}/stats`;
  const { value, error, reload } = useGet<Stats>(path, { everyMs: isDone ? 0 : statsEveryMs });
  useEffect(() => {
    if (isDone) reload();
  }, [isDone]);
  if (error && !value) return <ErrorNote error={error} />;
  // Too short to be charted: there is no empty chart.
  if (!value || value.data.length < 2) return null;
  return (
    <Card class="overview-chart" title="Rate">
      <RateChart series={seriesOf(job, value)} />
    </Card>
  );
}

/** The rate is the mean of so long, or of a step that is longer. */
const windowMs = 10_000;

/** Steps without change are left out of the response. */
function seriesOf({ createdAt }: Job, { step, data }: Stats): Series {
  const [times, rates, queue] = [[Math.floor(createdAt / 1000)], [0], [0]];
  const add = (at: number, rate: number, queued: number): void => {
    times.push(at / 1000);
    rates.push(rate);
    queue.push(queued);
  };
  const span = Math.max(windowMs, step);
  let last = createdAt;
  let pages = 0;
  let first = 0;
  for (const { at, scraped, queued } of data) {
    if (at - last > span + step) {
      const waiting = queue.at(-1) ?? 0;
      add(last + span, 0, waiting);
      add(at - step, 0, waiting);
    }
    pages += scraped;
    for (let out = data[first]; out && out.at <= at - span; out = data[++first]) pages -= out.scraped;
    add(at, (pages * 1000) / Math.min(span, Math.max(step, at - createdAt)), queued);
    last = at;
  }
  return [times, rates, queue];
}
