// Decides whether a host that does not answer is contacted at all. Pure: time and observations are arguments.
//
//   closed ──failures in a row, or robots.txt unreachable──► open ──its pause is over──► half-open: robots.txt is tried
//      ▲                                                      ▲                             │ answers     │ does not
//      └──────────────────────────────────────────────────────┼─────────────────────────────┘             │
//                                                             └──────────── twice the pause ◄─────────────┘
//
// A host is hopeless, and its URLs fail, after too long without a page, counted from the first failure after its last
// page, whatever its robots.txt answers in between. Time during an outage on our side does not count. Each job counts for
// itself, from its creation on. For a job to which the host has never answered it is hopeless much sooner: most likely
// its name is misspelt, or it is gone.
import { statusError } from '../../core/reasons.ts';
import type { FetchResult } from '../../core/ports/fetcher.ts';
import type { ErrorReason } from '../../core/reasons.ts';
import type { CrawlError } from '../../core/request.ts';

export interface Circuit {
  /** In a row, since the last response, robots.txt included. */
  readonly failures: number;
  /** One of these could not resolve the name or connect. */
  readonly isGone: boolean;
  /** When the first failure since the last page came. Undefined if there was none. */
  readonly failingSince: number | undefined;
  readonly lastFailureAt: number;
  readonly timesOpened: number;
  /** It opened because the host refuses what it has served: see `refusals.ts`. */
  readonly isRefusing: boolean;
  /** A page or a sitemap was among the failures since the last page. */
  readonly hasFailedPages: boolean;
  /** The length of the first pause. */
  readonly firstPauseMs: number;
  /** No request before this time; 0 while closed. */
  readonly openUntil: number;
  /** The last failure. */
  readonly error: CrawlError | undefined;
  /** When the host last sent a response, of whatever status. */
  readonly answeredAt: number;
  /** One of the failures since the last response was on our side, so they say less about the host. */
  readonly hasFailedHere: boolean;
}

export interface CircuitPolicy {
  /** A host without a page for this long is hopeless. */
  readonly giveUpMs: number;
  /** The same for a host that has not answered, unless the job wants another time. @default giveUpMs */
  readonly unansweredMs?: number;
  /** The jobs that wait for the host. @default one that wants nothing */
  readonly jobs?: Iterable<Expectation>;
  /** The longest pause. @default 5 minutes */
  readonly pauseMsMax?: number;
}

export const closedCircuit: Circuit = {
  failures: 0,
  isGone: false,
  failingSince: undefined,
  lastFailureAt: 0,
  timesOpened: 0,
  isRefusing: false,
  hasFailedPages: false,
  firstPauseMs: 0,
  openUntil: 0,
  error: undefined,
  answeredAt: Number.NEGATIVE_INFINITY,
  hasFailedHere: false,
};

/** A host that answers does not want to serve a URL. */
export interface Refusal {
  /** It would have served the URL before. */
  readonly isStrain: boolean;
  /** It was not asked for this URL before. */
  readonly isFirst: boolean;
}

/** What the job of a request expects of the host. */
export interface Expectation {
  /** When the job was created. */
  readonly begunAt: number;
  /** The URL was found by the job, not given to it, so its host has most likely answered before, to whatever process. */
  readonly isFound: boolean;
  /** How long to try a host that has not answered since. Undefined if the job does not say. */
  readonly unansweredMs: number | undefined;
}

export const anyJob: Expectation = { begunAt: 0, isFound: false, unansweredMs: undefined };

/** Reasons that concern the host, never one page. */
const goneReasons: ReadonlySet<ErrorReason> = new Set(['connect', 'dns']);
/** Failures in a row that open a circuit. */
const failuresMax = 5;
/** Refusals of different URLs in a row. */
const refusalsMax = 10;
/** The first pause; each further one is twice as long. */
const pauseMs = 30_000;
/**
 * The first pause if only robots.txt could not be read, or no request reached the host: the host has had no load, and
 * the trouble can be over soon.
 */
const unaskedPauseMs = 5_000;
const pauseMaxMs = 300_000;
/** The first pause of a host that refuses, and how long it is tried: longer blocks are for a retry of the job. */
const refusedPauseMs = 5_000;
export const refusedMs = 300_000;

export function isOpen(circuit: Circuit, now: number): boolean {
  return now < circuit.openUntil;
}

/** The pause is over, and no response has come yet. */
export function isHalfOpen(circuit: Circuit, now: number): boolean {
  return circuit.openUntil > 0 && now >= circuit.openUntil;
}

/** The host has been unreachable for too long: the remaining URLs of the job fail. */
export function isHopeless(circuit: Circuit, policy: CircuitPolicy, job = anyJob): boolean {
  return circuit.openUntil > 0 && circuit.lastFailureAt >= triedUntil(circuit, policy, job);
}

function triedUntil(circuit: Circuit, policy: CircuitPolicy, job: Expectation): number {
  const { failingSince = Number.POSITIVE_INFINITY } = circuit;
  return Math.max(failingSince, job.begunAt) + giveUpMsOf(circuit, policy, job);
}

/** How long a job tries the host. */
export function giveUpMsOf(circuit: Circuit, policy: CircuitPolicy, job = anyJob): number {
  const { giveUpMs, unansweredMs: usualMs = giveUpMs } = policy;
  const { begunAt, isFound, unansweredMs = Math.min(giveUpMs, usualMs) } = job;
  if (circuit.isRefusing) return Math.min(giveUpMs, refusedMs);
  return isFound || circuit.answeredAt >= begunAt || circuit.hasFailedHere ? giveUpMs : unansweredMs;
}

/** The circuit once the host has sent any response. */
export function answered(circuit: Circuit, now: number): Circuit {
  return { ...circuit, answeredAt: now };
}

/** Nobody is there, as far as this process knows. */
export function isAbsent({ answeredAt, error }: Circuit): boolean {
  return answeredAt === Number.NEGATIVE_INFINITY || (error !== undefined && goneReasons.has(error.reason));
}

/** The host refused, and was asked again: one request at a time until it serves a page. */
export function isProbing({ isRefusing, timesOpened }: Circuit): boolean {
  return isRefusing && timesOpened > 0;
}

/**
 * The circuit after a fetch. A response closes it. A host with one page left cannot fail five times before the page has
 * used up its attempts. If one of these attempts could not connect or resolve the name, and none was answered since,
 * the circuit opens with the last attempt. A failure on our own side concerns no page, and opens it at once.
 */
export function afterFetch(
  circuit: Circuit,
  fetched: {
    readonly result: FetchResult;
    readonly isLastAttempt: boolean;
    readonly isOurs: boolean;
    readonly refusal?: Refusal | undefined;
  },
  now: number,
  policy: CircuitPolicy,
): Circuit {
  const { result, isLastAttempt, isOurs, refusal } = fetched;
  if (refusal && result.kind === 'body') return afterRefusal(circuit, refusal, result.statusCode, now, policy);
  const error = downError(result);
  if (error) {
    // Requests that were under way when the circuit opened add nothing new.
    if (isOpen(circuit, now)) return circuit;
    const failure = oneFailureMore(circuit, { error, isOurs }, now, policy);
    const isNoHost = goneReasons.has(error.reason);
    const failed = { ...failure, isGone: failure.isGone || isNoHost, isRefusing: false, hasFailedPages: true };
    if (isOurs) return opened(failed, error, now, unaskedPauseMs, policy);
    const isGone = isLastAttempt && failed.timesOpened === 0 && failed.isGone;
    return failed.failures < failuresMax && !isGone ? failed : opened(failed, error, now, pauseMs, policy);
  }
  return result.kind === 'failure' ? circuit : answered(closedCircuit, now);
}

/** One that is no strain says nothing about the host. */
function afterRefusal(
  circuit: Circuit,
  { isStrain, isFirst }: Refusal,
  statusCode: number,
  now: number,
  policy: CircuitPolicy,
): Circuit {
  if (!isStrain || isOpen(circuit, now) || (!isFirst && !isProbing(circuit))) return circuit;
  const error = statusError(statusCode);
  const refused = { ...oneFailureMore(circuit, { error, isOurs: false }, now, policy), hasFailedPages: true };
  if (refused.failures < refusalsMax && !isProbing(circuit)) return refused;
  return opened({ ...refused, isRefusing: true }, error, now, refusedPauseMs, policy);
}

/** The circuit after robots.txt could not be read: nothing may be fetched (RFC 9309, 2.3.1.4). */
export function afterUnreachable(
  circuit: Circuit,
  cause: { readonly error: CrawlError; readonly retryAfterMs?: number; readonly isOurs?: boolean },
  now: number,
  policy: CircuitPolicy,
): Circuit {
  if (isOpen(circuit, now)) return circuit;
  const failed = opened(oneFailureMore(circuit, cause, now, policy), cause.error, now, unaskedPauseMs, policy);
  return { ...failed, openUntil: Math.max(failed.openUntil, now + (cause.retryAfterMs ?? 0)) };
}

/**
 * robots.txt answered, so the host is alive; its pages have yet to answer. If no page has failed so far, the next
 * failure counts as the host's: a page must not be charged for a robots.txt that was down before.
 */
export function afterProbe(circuit: Circuit, now: number): Circuit {
  if (circuit.failingSince === undefined) return answered(closedCircuit, now);
  const timesOpened = circuit.hasFailedPages ? circuit.timesOpened : 0;
  return { ...circuit, failures: 0, isGone: false, timesOpened, openUntil: 0, answeredAt: now };
}

/** Leaves out the time of an outage on our side: it says nothing about the host. */
export function afterOutage(circuit: Circuit, from: number, to: number): Circuit {
  if (circuit.failingSince === undefined) return circuit;
  const failedBeforeMs = Math.max(0, from - circuit.failingSince);
  return {
    ...circuit,
    failures: 0,
    isGone: false,
    timesOpened: 0,
    failingSince: to - failedBeforeMs,
    lastFailureAt: to,
  };
}

/**
 * Adds a failure. First resets the circuit if the last failure is older than both the give-up time and twice the longest
 * pause.
 */
function oneFailureMore(
  circuit: Circuit,
  { error, isOurs = false }: { readonly error: CrawlError; readonly isOurs?: boolean },
  now: number,
  { giveUpMs }: CircuitPolicy,
): Circuit {
  const isOld = now - circuit.lastFailureAt > Math.max(giveUpMs, 2 * pauseMaxMs);
  const { failures, failingSince, isGone } = isOld ? closedCircuit : circuit;
  const timesOpened = isOld ? 0 : circuit.timesOpened;
  return {
    ...circuit,
    error,
    failures: failures + 1,
    isGone,
    failingSince: failingSince ?? now,
    lastFailureAt: now,
    timesOpened,
    answeredAt: error.statusCode === undefined ? circuit.answeredAt : now,
    hasFailedHere: (!isOld && circuit.hasFailedHere) || isOurs,
  };
}

function opened(circuit: Circuit, error: CrawlError, now: number, firstMs: number, policy: CircuitPolicy): Circuit {
  const { pauseMsMax = pauseMaxMs, jobs = [anyJob] } = policy;
  const base = circuit.timesOpened === 0 ? firstMs : circuit.firstPauseMs;
  const pause = Math.min(pauseMsMax, base * 2 ** circuit.timesOpened);
  // The last try for a job comes when its time is up, not later.
  const lastTries = Array.from(jobs, (job) => triedUntil(circuit, policy, job)).filter((at) => at > now);
  const openUntil = Math.min(now + pause, ...lastTries);
  return { ...circuit, timesOpened: circuit.timesOpened + 1, firstPauseMs: base, openUntil, error };
}

/** Statuses of a server, or a proxy before it, that cannot serve anything now. 500 is about one page. */
const downStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530]);

/** The host reports overload, or fails to answer. */
export function isDown(result: FetchResult): boolean {
  return downError(result) !== undefined;
}

/** Why the host counts as down: no connection, no response, or a status that says so. Undefined if it is not down. */
function downError(result: FetchResult): CrawlError | undefined {
  if (result.kind === 'failure') return result.retryable ? result.error : undefined;
  const { statusCode } = result;
  if (result.kind === 'redirect' || !downStatuses.has(statusCode)) return undefined;
  return statusError(statusCode);
}
