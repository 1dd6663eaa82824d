import type { Frontier, HostLease, Notice, ReleaseOptions } from '../core/ports/frontier.ts';
import { ledgerReason } from '../core/reasons.ts';
import type { CrawlError } from '../core/request.ts';
import type { HostPace } from './pace/host-pace.ts';

/**
 * Gives a host back, not to be leased before it may be contacted again. If it did not answer (`wasPaused`), its jobs
 * get a notice; if it has not answered for too long, its URLs fail. Call when nothing is in flight under the lease.
 */
export async function giveBack(
  frontier: Frontier,
  lease: HostLease,
  pace: HostPace,
  { wasPaused, ...turn }: JobsOfTurn & { readonly wasPaused: boolean },
): Promise<void> {
  const { host } = lease;
  const trouble = wasPaused ? pace.trouble : undefined;
  await endJobs(frontier, lease, pace);
  await frontier.release(lease, {
    ...releaseOf(frontier, pace, lease, turn),
    ...(trouble && { notice: trouble.isNetworkDown ? networkDown(trouble.error) : unreachable(host, trouble.error) }),
    ...(!trouble && wasPaused && pace.isPausedForCopies && { notice: onePage(host) }),
  });
}

/**
 * Fails the URLs of jobs whose time is up before the host may be asked again. Jobs with more patience wait on, so the
 * host keeps its pause. If there are none, the next job asks it again.
 */
async function endJobs(frontier: Frontier, lease: HostLease, pace: HostPace): Promise<void> {
  const { endedJobs } = pace;
  if (endedJobs.length === 0) return;
  const error = pace.circuit.error ?? { reason: 'timeout', message: 'The host did not serve pages in time.' };
  for (const { jobId, timeoutMs, isHopeless } of endedJobs) {
    const why = isHopeless ? `It was retried for ${spell(timeoutMs)}.` : `\`url_timeout\` is ${spell(timeoutMs)}.`;
    const because = { ...error, message: `${error.message} ${why}` };
    const message = `${lease.host}: ${because.message} Its URLs have failed.`;
    const code = isHopeless && pace.trouble?.isBlocking === true ? 'blocked' : 'host_unreachable';
    const notice: Notice = { code, message, reason: ledgerReason(because) };
    while (await frontier.giveUp(lease, because, notice, jobId));
    pace.patience.forget(jobId);
  }
  if (pace.patience.isNobodyWaiting) pace.wasGivenUp();
}

/** What the jobs with requests in a turn want. */
export interface JobsOfTurn {
  /** The longest of their delays. */
  readonly jobsDelayMs: number;
  /** The host has more to do, so it waits in line with other names of its server. @default false */
  readonly hasMore?: boolean;
}

/** When the host may be contacted again, and what to note about it. */
export function releaseOf(
  { isShared }: Frontier,
  pace: HostPace,
  lease: HostLease,
  { jobsDelayMs, hasMore = false }: JobsOfTurn,
): ReleaseOptions {
  const memory = isShared ? pace.newMemory(lease.memory) : undefined;
  // A lane that fetched no page must keep the delay that was noted.
  const delayMs = Math.max(pace.delayMs, pace.notedDelayMs, jobsDelayMs);
  const inLineUntil = hasMore && pace.othersWait ? pace.lineUp() : 0;
  return {
    notBefore: Math.max(pace.readyAt, pace.readyAfter(delayMs), inLineUntil),
    delayMs,
    ...(memory !== undefined && { memory }),
  };
}

function unreachable(host: string, error: CrawlError): Notice {
  const message = `${host}: ${error.message} Nothing is fetched from it until it responds; it is retried at growing intervals.`;
  return { code: 'host_unresponsive', message };
}

function onePage(host: string): Notice {
  const message = `${host}: It ends every URL in one way, also pages that it had served. It is left alone for a while, three times at most; then these URLs are asked for again.`;
  return { code: 'copies_paused', message };
}

function networkDown(error: CrawlError): Notice {
  const message = `No host can be reached: ${error.message} The job waits until one responds.`;
  return { code: 'network_down', message };
}

function spell(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
}
