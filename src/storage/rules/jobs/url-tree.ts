// Groups URLs by their first segments. PostgreSQL does the same in SQL.
import { type StateCounts, type TreeCounts, type TreeGroup, treeGroupsMax } from '../../../core/ports/stores.ts';

export type CountedState = keyof StateCounts;

/** Groups that are counted at a time. URLs of further groups count as others. */
const countedMax = 100_000;

const none: StateCounts = { queued: 0, scraped: 0, discarded: 0, failed: 0, outside: 0 };

/** Counts URL after URL. */
export class TreeCounter {
  readonly #prefixLength: number | undefined;
  readonly #depth: number;
  readonly #groups = new Map<string, Record<CountedState, number>>();
  readonly #others = { ...none };

  constructor(prefix: string | undefined, depth: number) {
    this.#prefixLength = prefix?.length;
    this.#depth = depth;
  }

  /** The URL begins with the prefix. */
  add(url: string, state: CountedState): void {
    const key = this.#keyOf(url);
    const known = this.#groups.get(key);
    if (known) known[state]++;
    else if (this.#groups.size < countedMax) this.#groups.set(key, { ...none, [state]: 1 });
    else this.#others[state]++;
  }

  counts(): TreeCounts {
    const sorted = [...this.#groups].toSorted(([, one], [, other]) => sizeOf(other) - sizeOf(one));
    const groups = sorted.slice(0, treeGroupsMax).map(groupOf);
    const others = { ...this.#others };
    for (const [, counts] of sorted.slice(treeGroupsMax)) for (const state of states) others[state] += counts[state];
    return { groups: this.#prefixLength === undefined ? groups.map(withOrigin) : groups, others };
  }

  /** The first segments, without query and fragment. */
  #keyOf(url: string): string {
    const from = this.#prefixLength ?? 0;
    let end = from - 1;
    // The slashes after the scheme belong to the first segment, which is the origin.
    if (this.#prefixLength === undefined) end = url.indexOf('//') + 1;
    for (let segments = 0; segments < this.#depth; segments++) {
      end = endOfSegment(url, end + 1);
      if (url[end] !== '/') break;
    }
    return url.slice(from, end);
  }
}

const states = Object.keys(none) as CountedState[];

function sizeOf({ queued, scraped, discarded, failed, outside }: StateCounts): number {
  return queued + scraped + discarded + failed + outside;
}

const [slash, question, hash] = [47, 63, 35];

function endOfSegment(url: string, from: number): number {
  for (let at = from; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === slash || code === question || code === hash) return at;
  }
  return url.length;
}

function groupOf([key, counts]: readonly [string, StateCounts]): TreeGroup {
  return { path: key.split('/'), ...counts };
}

/** Splitting at slashes has also split the origin. */
function withOrigin(group: TreeGroup): TreeGroup {
  const [scheme = '', , host = '', ...path] = group.path;
  return { ...group, path: [`${scheme}//${host}`, ...path] };
}

/** The others, when a store counted all URLs and returned the largest groups. */
export function othersOf(all: StateCounts, groups: readonly TreeGroup[]): StateCounts {
  const left = { ...all };
  for (const group of groups) for (const state of states) left[state] -= group[state];
  return left;
}
