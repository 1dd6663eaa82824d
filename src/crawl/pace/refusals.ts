// Tells a host that begins to refuse from one whose paths are not for everybody. Pure.
//
// A refusal of a URL like those that the host has served says that the host will not answer this crawler any longer, or not
// now: it counts like overload. A host that has always refused some of its paths, such as the profiles of a forum, is not
// strained; but refusals of many kinds of paths, without a response between them, are.
import { blockingStatuses } from '../../core/reasons.ts';

/** Not "not now", by their definition, but what firewalls and shops answer to a crawler that is too quick for them. */
const refusals: ReadonlySet<number> = new Set([401, 403, 430, 451, 999]);
/** Families that are remembered; the first ones go first. */
const familiesMax = 200;
/** For another process. */
const familiesNoted = 20;
/** Kinds of paths that a host refuses in a row, so that it refuses everything. */
const strangersMax = 5;

/** What a host has served and refused, by {@link familyOf}. */
export interface Served {
  readonly families: readonly string[];
  /** Refused families that it has not served, since its last page. */
  readonly strangers: readonly string[];
}

export const nothingServed: Served = { families: [], strangers: [] };

export function isRefusal(statusCode: number): boolean {
  return refusals.has(statusCode);
}

/** True if the host, having served pages, ends as `blocked` with this status. */
export function isBlocking({ families }: Served, statusCode: number | undefined): boolean {
  return families.length > 0 && statusCode !== undefined && blockingStatuses.has(statusCode);
}

/** The directory of a URL: pages beside each other have one. */
export function familyOf({ pathname }: URL): string {
  const directory = pathname.slice(0, pathname.replace(/\/$/, '').lastIndexOf('/') + 1);
  return directory === '' ? '/' : directory.slice(0, 100);
}

export function afterPage(served: Served, url: URL): Served {
  const family = familyOf(url);
  if (served.families.includes(family)) return served.strangers.length === 0 ? served : { ...served, strangers: [] };
  return { families: [...served.families, family].slice(-familiesMax), strangers: [] };
}

/** `isStrain`: the host refuses what it would have served before. */
export function afterRefusal(served: Served, url: URL): { readonly served: Served; readonly isStrain: boolean } {
  const family = familyOf(url);
  if (served.families.includes(family)) return { served, isStrain: true };
  const known = served.strangers.includes(family);
  const strangers = known ? served.strangers : [...served.strangers, family].slice(-strangersMax);
  return { served: { ...served, strangers }, isStrain: served.families.length > 0 && strangers.length >= strangersMax };
}

/** For another process. */
export function notedOf({ families }: Served): readonly string[] {
  return families.slice(-familiesNoted);
}
