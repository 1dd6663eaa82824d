// Whether it is us rather than the hosts: no network, or no name server. Pure: the time and what was seen are arguments.
//
//   none ──a failure of our own side──► suspected ──more of them, a minute later, and nobody has answered──► on
//    ▲                                      │                                                                │
//    └────────────────────────── anybody answers, or nothing fails here any more ◄──────────────────────────┘
//
// A day after the first failure it is not on any more, though nobody has answered: a job whose only host has a broken name
// has to end too.
import type { FetchResult } from '../core/fetcher.ts';

export interface Outage {
  /** The first failure of our own side since anybody answered. Undefined where there was none. */
  readonly since: number | undefined;
  /** The last one. */
  readonly lastFailureAt: number;
}

export const noOutage: Outage = { since: undefined, lastFailureAt: 0 };

/** The one broken name of a crawl may fail for so long while the other hosts have nothing to say. */
const suspectedMsMax = 60_000;
/** After so long it is taken to be the hosts after all. */
const outageMsMax = 24 * 3600 * 1000;
/** Failures that lie further apart have nothing to do with each other. */
const unrelatedMs = 600_000;

/** What is known after a fetch from any host. */
export function afterResult(outage: Outage, result: FetchResult, now: number): Outage {
  const isOld = now - outage.lastFailureAt > unrelatedMs;
  if (result.kind !== 'failure' || result.isLocal === false) return noOutage;
  if (result.isLocal === undefined) return isOld ? noOutage : outage;
  return { since: (isOld ? undefined : outage.since) ?? now, lastFailureAt: now };
}

/**
 * From when on nobody could be reached, so that nobody is to be given up; undefined where it is not so. `giveUpMs` is how long
 * a host is waited for.
 */
export function beganAt({ since, lastFailureAt }: Outage, giveUpMs: number): number | undefined {
  if (since === undefined || lastFailureAt - since >= outageMsMax) return undefined;
  const provenAt = since + Math.min(suspectedMsMax, giveUpMs / 4);
  return lastFailureAt >= provenAt ? provenAt : undefined;
}

/** The longest pause of a host, so that it is noticed soon that the network is back. */
const pauseMs = 20_000;
/** Per host that is asked, so that many do not keep the processor busy with failing. */
const pauseMsPerHost = 50;

/** The longest that a host is left alone where it is us; where many are waited for, others notice before. */
export function outagePauseMs(hosts: number): number {
  return Math.max(pauseMs, hosts * pauseMsPerHost);
}
