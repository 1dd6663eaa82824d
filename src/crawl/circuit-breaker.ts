// Whether a host that does not answer is asked at all. Pure: the time and what was seen are arguments.
//
//   closed ──failures in a row, or robots.txt unreachable──► open ──its pause is over──► half-open: robots.txt is asked
//      ▲                                                      ▲                             │ answers     │ does not
//      └──────────────────────────────────────────────────────┼─────────────────────────────┘             │
//                                                             └──────────── twice the pause ◄─────────────┘
//
// The longest that a host stays unreachable is counted from the first failure after its last page, whatever its robots.txt
// answers in between: then it is hopeless, and its URLs fail. While nobody can be reached it is not counted.
import type { FetchResult } from '../core/fetcher.ts';
import type { ErrorReason } from '../core/reasons.ts';
import type { CrawlError } from '../core/request.ts';

export interface Circuit {
  /** In a row, since the last answer or since robots.txt answered. */
  readonly failures: number;
  /** One of these found nobody there. */
  readonly isGone: boolean;
  /** When the first of all failures since the last page came. Undefined where there was none. */
  readonly failingSince: number | undefined;
  readonly lastFailureAt: number;
  readonly timesOpened: number;
  /** A page or a sitemap was among the failures since the last page. */
  readonly hasFailedPages: boolean;
  /** How long it was open the first time. */
  readonly firstPauseMs: number;
  /** Nothing is asked before; 0 while closed. */
  readonly openUntil: number;
  /** Why it was opened. */
  readonly error: CrawlError | undefined;
}

export interface CircuitPolicy {
  /** After so long without a page a host is hopeless. */
  readonly giveUpMs: number;
  /** The longest pause. @default 5 minutes */
  readonly pauseMsMax?: number;
}

export const closedCircuit: Circuit = {
  failures: 0,
  isGone: false,
  failingSince: undefined,
  lastFailureAt: 0,
  timesOpened: 0,
  hasFailedPages: false,
  firstPauseMs: 0,
  openUntil: 0,
  error: undefined,
};

/** It is never one page of a host that these are about. */
const goneReasons: ReadonlySet<ErrorReason> = new Set(['connect', 'dns']);
/** Failures in a row that open a circuit. */
const failuresMax = 5;
/** The first pause; each further one is twice as long. */
const pauseMs = 30_000;
/**
 * The first pause where robots.txt alone could not be read, or nobody was asked at all: the host has not been burdened, and a
 * passing trouble may be over.
 */
const unaskedPauseMs = 5_000;
const pauseMaxMs = 300_000;

export function isOpen(circuit: Circuit, now: number): boolean {
  return now < circuit.openUntil;
}

/** The pause is over, and nothing has answered yet. */
export function isHalfOpen(circuit: Circuit, now: number): boolean {
  return circuit.openUntil > 0 && now >= circuit.openUntil;
}

/** The host has been unreachable for so long that what is left of it fails. */
export function isHopeless({ openUntil, failingSince, lastFailureAt }: Circuit, { giveUpMs }: CircuitPolicy): boolean {
  return openUntil > 0 && failingSince !== undefined && lastFailureAt - failingSince >= giveUpMs;
}

/**
 * What is known after a fetch. An answer closes the circuit. A host that has one page left cannot fail five times before
 * that page has used up its attempts: where one of them, with no answer since, found nobody there, the circuit opens with the last. A failure of our
 * own side is about no page at all, and opens it at once.
 */
export function afterFetch(
  circuit: Circuit,
  fetched: { readonly result: FetchResult; readonly isLastAttempt: boolean; readonly isOurs: boolean },
  now: number,
  policy: CircuitPolicy,
): Circuit {
  const { result, isLastAttempt, isOurs } = fetched;
  const error = downError(result);
  if (error) {
    // What was under way when it opened says nothing new.
    if (isOpen(circuit, now)) return circuit;
    const failure = oneFailureMore(circuit, now, policy);
    const failed = { ...failure, isGone: failure.isGone || goneReasons.has(error.reason), hasFailedPages: true };
    if (isOurs) return opened(failed, error, now, unaskedPauseMs, policy);
    const isGone = isLastAttempt && failed.timesOpened === 0 && failed.isGone;
    return failed.failures < failuresMax && !isGone ? failed : opened(failed, error, now, pauseMs, policy);
  }
  return result.kind === 'failure' ? circuit : closedCircuit;
}

/** What is known after robots.txt could not be read: nothing may be fetched (RFC 9309, 2.3.1.4). */
export function afterUnreachable(
  circuit: Circuit,
  cause: { readonly error: CrawlError; readonly retryAfterMs?: number },
  now: number,
  policy: CircuitPolicy,
): Circuit {
  if (isOpen(circuit, now)) return circuit;
  const failed = opened(oneFailureMore(circuit, now, policy), cause.error, now, unaskedPauseMs, policy);
  return { ...failed, openUntil: Math.max(failed.openUntil, now + (cause.retryAfterMs ?? 0)) };
}

/**
 * The host is alive: its robots.txt answered. Its pages have to show that they do. Where none has failed yet, the next failure is
 * that of a host: it must not be charged to a page that robots.txt was down before.
 */
export function afterProbe(circuit: Circuit): Circuit {
  if (circuit.failingSince === undefined) return closedCircuit;
  const timesOpened = circuit.hasFailedPages ? circuit.timesOpened : 0;
  return { ...circuit, failures: 0, isGone: false, timesOpened, openUntil: 0 };
}

/** As if the time between, in which nobody could be reached, had not been: it says nothing of the host. */
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

/** A host that was left alone for longer than one would wait for it begins anew. */
function oneFailureMore(circuit: Circuit, now: number, { giveUpMs }: CircuitPolicy): Circuit {
  const isOld = now - circuit.lastFailureAt > Math.max(giveUpMs, 2 * pauseMaxMs);
  const { failures, failingSince, isGone } = isOld ? closedCircuit : circuit;
  const timesOpened = isOld ? 0 : circuit.timesOpened;
  return {
    ...circuit,
    failures: failures + 1,
    isGone,
    failingSince: failingSince ?? now,
    lastFailureAt: now,
    timesOpened,
  };
}

function opened(
  circuit: Circuit,
  error: CrawlError,
  now: number,
  firstMs: number,
  { giveUpMs, pauseMsMax = pauseMaxMs }: CircuitPolicy,
): Circuit {
  const base = circuit.timesOpened === 0 ? firstMs : circuit.firstPauseMs;
  const pause = Math.min(pauseMsMax, base * 2 ** circuit.timesOpened);
  // The last try comes when the time is up, not after.
  const lastTryAt = (circuit.failingSince ?? now) + giveUpMs;
  const openUntil = now < lastTryAt ? Math.min(now + pause, lastTryAt) : now + pause;
  return { ...circuit, timesOpened: circuit.timesOpened + 1, firstPauseMs: base, openUntil, error };
}

/** Statuses of a server, or of what stands before it, that cannot serve anything now. 500 is about one page. */
const downStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530]);

/** The host says that it is too much, or does not manage to answer. */
export function isDown(result: FetchResult): boolean {
  return downError(result) !== undefined;
}

/** Why the host is taken to be down: no connection, no answer, or one that says so. Undefined where it is not. */
function downError(result: FetchResult): CrawlError | undefined {
  if (result.kind === 'failure') return result.retryable ? result.error : undefined;
  const { statusCode } = result;
  if (result.kind === 'redirect' || !downStatuses.has(statusCode)) return undefined;
  return { reason: 'http_error', message: `The site answered ${statusCode}.`, statusCode };
}
