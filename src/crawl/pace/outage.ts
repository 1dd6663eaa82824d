// Detects outages on our side: no network, or no name server. Pure: time and observations are arguments.
//
//   none ──a failure of our own side──► suspected ──more of them, a minute later, and nobody has answered──► on
//    ▲                                      │                                                                │
//    └────────────────────────── anybody answers, or nothing fails here any more ◄──────────────────────────┘
//
// The outage ends a day after the first failure, even without a response: a job whose only host has a broken name has to
// end too.
import type { FetchResult } from '../../core/ports/fetcher.ts';

export interface Outage {
  /** The first failure on our own side since the last response of any host. Undefined if there was none. */
  readonly since: number | undefined;
  /** The last such failure. */
  readonly lastFailureAt: number;
}

export const noOutage: Outage = { since: undefined, lastFailureAt: 0 };

/** How long one broken name can fail while the other hosts give no result, before that counts as an outage. */
const suspectedMsMax = 60_000;
/** After this long, the hosts are taken to be the cause after all. */
const outageMsMax = 24 * 3600 * 1000;
/** Failures further apart are unrelated. */
const unrelatedMs = 600_000;

/** The state after a fetch from any host. */
export function afterResult(outage: Outage, result: FetchResult, now: number): Outage {
  const isOld = now - outage.lastFailureAt > unrelatedMs;
  if (result.kind !== 'failure' || result.isLocal === false) return noOutage;
  if (result.isLocal === undefined) return isOld ? noOutage : outage;
  return { since: (isOld ? undefined : outage.since) ?? now, lastFailureAt: now };
}

/**
 * When the outage began, during which no host is given up. Undefined without an outage. `giveUpMs`: how long a host is
 * waited for.
 */
export function beganAt({ since, lastFailureAt }: Outage, giveUpMs: number): number | undefined {
  if (since === undefined || lastFailureAt - since >= outageMsMax) return undefined;
  const provenAt = since + Math.min(suspectedMsMax, giveUpMs / 4);
  return lastFailureAt >= provenAt ? provenAt : undefined;
}

/** The longest pause of a host, short enough to notice soon that the network is back. */
const pauseMs = 20_000;
/** Per host, so that failing requests to many hosts do not keep the processor busy. */
const pauseMsPerHost = 50;

/** The longest pause of a host during an outage. With many hosts it is longer, since others notice the end earlier. */
export function outagePauseMs(hosts: number): number {
  return Math.max(pauseMs, hosts * pauseMsPerHost);
}
