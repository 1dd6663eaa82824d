// Hosts with requests of some jobs: what the two stores share.
import { hostPairsMax, type HostQuery, type HostSlice, type WaitingHost } from '../../../core/ports/stores.ts';

/** Unfinished jobs of an org that are looked at. */
export const jobsLookedAt = 1_000;
const hostsMin = 40;

/** Hosts that one read looks at, if it compares each with this many jobs. */
export function hostsLookedAt(jobs: number): number {
  return Math.max(hostsMin, Math.floor(hostPairsMax / Math.max(1, jobs)));
}

/** SQL: all requests of the frontier `f`, one part for each partial index. */
export const partsOfFrontier = [
  'f.fence IS NULL AND f.not_before = 0',
  'f.fence IS NULL AND f.not_before > 0',
  'f.fence IS NULL AND f.not_before < 0',
  'f.fence IS NOT NULL',
];

/** SQL: the job has requests of the host. */
export function hasRequests(host: string, job: string): string {
  return partsOfFrontier
    .map((part) => `EXISTS (SELECT 1 FROM frontier f WHERE f.host = ${host} AND f.job = ${job} AND ${part})`)
    .join(' OR ');
}

/** `read`: how many hosts were looked at, and the last of them. `found`: those with jobs, in order. */
export function sliceOfHosts(
  { limit }: HostQuery,
  read: { readonly hosts: number; readonly max: number; readonly last: number },
  found: readonly { readonly id: number; readonly host: WaitingHost }[],
): HostSlice {
  const some = found.slice(0, limit);
  const hosts = some.map(({ host }) => host);
  const last = found.length > limit ? some.at(-1)?.id : undefined;
  const next = last ?? (read.hosts === read.max ? read.last : undefined);
  return next === undefined ? { hosts } : { hosts, next };
}
