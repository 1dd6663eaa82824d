// How a job goes: why its result is incomplete, its rate, the reasons of URLs that are no pages, notices.
import { useEffect } from 'preact/hooks';
import { type Finding, hasEnded, type Job, type Notice, type Stats } from '../api-types.ts';
import { query } from '../api.ts';
import { count, sortedReasons, words } from '../format.ts';
import { Card, ErrorNote, Prose } from '../parts/basics.tsx';
import { useGet } from '../parts/loaded.tsx';
import { RateChart, type Series } from '../parts/rate-chart.tsx';
import { Time } from '../parts/time.tsx';

const rulesShown = 10;

export function Overview({ job }: { job: Job }) {
  const isDone = hasEnded(job);
  const leftOut = Object.entries(job.droppedWords).slice(0, rulesShown);
  return (
    <div class="overview">
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
          class="overview-wide overview-findings"
          title={isDone ? 'Why the result is incomplete' : 'What is missing so far'}
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
