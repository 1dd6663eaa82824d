// One job as it is now: read once, then followed by server-sent events until it ends.
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasEnded, type Job, type JobStatus, type Progress } from './api-types.ts';
import { call } from './api.ts';
import { useInterval } from './parts/hooks.ts';

/** A count at a time, for rates. */
interface Sample {
  readonly at: number;
  readonly scraped: number;
  readonly ended: number;
}

export interface LiveJob {
  readonly job: Job | undefined;
  readonly error: Error | undefined;
  /** Pages per second over the last ten seconds; undefined until there are two samples, and after the end. */
  readonly pagesPerSecond: number | undefined;
  /** Milliseconds until the known URLs are done; undefined if that cannot be said. */
  readonly remainingMs: number | undefined;
  readonly reload: () => void;
}

const windowMs = 10_000;
/** Reasons and notices are not in the events. */
const detailsEveryMs = 3_000;

export function useLiveJob(id: string): LiveJob {
  const [job, setJob] = useState<Job>();
  const [error, setError] = useState<Error>();
  const samples = useRef<Sample[]>([]);
  const url = `/crawler/jobs/${encodeURIComponent(id)}`;

  const note = (progress: Progress): void => {
    const at = performance.now();
    const { scraped, discarded, failed } = progress;
    samples.current = [
      ...samples.current.filter((sample) => at - sample.at <= windowMs),
      { at, scraped, ended: scraped + discarded + failed },
    ];
  };
  const reload = (): void => {
    call<Job>(url).then(
      (loaded) => {
        if (!hasEnded(loaded)) note(loaded.progress);
        setJob(loaded);
        setError(undefined);
      },
      (failure: unknown) => setError(failure as Error),
    );
  };
  useEffect(reload, [id]);

  const isLive = job !== undefined && !hasEnded(job);
  useInterval(reload, isLive ? detailsEveryMs : 0);
  const position = useRef(0);
  position.current = job?.progress.scraped ?? 0;
  useEffect(() => {
    if (!isLive) return undefined;
    const events = new EventSource(`${url}/events?text=false&after=${position.current}`);
    events.addEventListener('progress', ({ data }: MessageEvent<string>) => {
      const { status, progress } = JSON.parse(data) as { status: JobStatus; progress: Progress };
      note(progress);
      setJob((last) => last && { ...last, status, progress });
    });
    events.addEventListener('end', () => {
      events.close();
      reload();
    });
    return () => events.close();
  }, [isLive, id]);

  const pagesPerSecond = isLive ? perSecond(samples.current, 'scraped') : undefined;
  return {
    job,
    error,
    pagesPerSecond,
    remainingMs: job && isLive ? remaining(job, samples.current) : undefined,
    reload,
  };
}

function perSecond(samples: readonly Sample[], what: 'scraped' | 'ended'): number | undefined {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last || last.at - first.at < 1_000) return undefined;
  return ((last[what] - first[what]) * 1000) / (last.at - first.at);
}

/** Until the queue is empty or the page limit is reached, at the rate of the last seconds. */
function remaining({ progress, page_limit: limit }: Job, samples: readonly Sample[]): number | undefined {
  const [urls, pages] = [perSecond(samples, 'ended'), perSecond(samples, 'scraped')];
  if (urls === undefined || urls <= 0) return undefined;
  const queue = ((progress.queued + progress.inFlight) / urls) * 1000;
  const full =
    pages !== undefined && pages > 0 ? ((limit - progress.scraped) / pages) * 1000 : Number.POSITIVE_INFINITY;
  return Math.min(queue, full);
}
