// How a job goes: why its result is incomplete, its rate, the reasons of URLs that are no pages, notices.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Finding, hasEnded, type Job, type Notice, type Stats } from '../api-types.ts';
import { call } from '../api.ts';
import { count, words } from '../format.ts';
import { ErrorNote, Prose } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { RateChart, type Series } from '../parts/rate-chart.tsx';
import { Time } from '../parts/time.tsx';

const rulesShown = 10;

export function Overview({ job }: { job: Job }) {
  const reasons = Object.entries(job.reasons).toSorted(([, one], [, other]) => other - one);
  const most = reasons[0]?.[1] ?? 1;
  const leftOut = Object.entries(job.droppedWords).slice(0, rulesShown);
  return (
    <div class="overview">
      <Rate job={job} />
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
      {leftOut.length > 0 && (
        <section class="card">
          <h2>Words left out of pages, by rule</h2>
          <ul class="reasons">
            {leftOut.map(([rule, total]) => (
              <li key={rule}>
                <span class="reason-name">{words(rule)}</span> <span class="reason-count">about {count(total)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
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
      <span>
        <Prose text={message} />
      </span>
      <span class="muted">
        <Prose text={remedy} />
      </span>
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
  // Too short to be charted: there is no empty chart.
  if (!stats || stats.data.length < 2) return null;
  return (
    <section class="card overview-chart">
      <h2>Rate</h2>
      <RateChart series={seriesOf(job, stats)} />
    </section>
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
