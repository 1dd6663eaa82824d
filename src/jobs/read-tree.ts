// The URLs of a job as a tree of their segments, with counts.
import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import type { JobStore, StateCounts, TreeCounts } from '../core/ports/stores.ts';
import { parseGivenUrl } from '../url/given-url.ts';
import { dataExpired, getKept } from './get-job.ts';

export const treeDepthMax = 3;
/** Counting the URLs of a running job again sooner would find hardly anything new. */
const freshMs = 5_000;
/** Trees kept in memory: 5,000 groups each. */
const treesMax = 20;

/** URLs by state, and all of them. */
export interface TreeSums extends StateCounts {
  readonly urls: number;
}

export interface TreeNode extends TreeSums {
  /** Empty: the URL of the level above, with any query. */
  readonly segment: string;
  /** The beginning of the URLs in this node. */
  readonly prefix: string;
  /** The next level, if it was requested and there is one. */
  readonly data?: TreeLevel['data'] | undefined;
  readonly others?: TreeLevel['others'] | undefined;
}

export interface TreeLevel {
  /** Most URLs first. */
  readonly data: readonly TreeNode[];
  /** What is not among them; absent if that is nothing. */
  readonly others?: TreeSums;
}

export interface JobTree extends TreeLevel {
  readonly prefix?: string;
}

export interface JobTreeQuery {
  /** A URL; or a path, on the site of the first start URL. */
  readonly prefix?: string;
  readonly depth: number;
  /** Nodes per level. */
  readonly limit: number;
}

interface Kept {
  readonly version: string;
  readonly at: number;
  readonly counts: Promise<TreeCounts | undefined>;
}

/** Counts of trees, as long as their job has not changed. */
export class TreeCache {
  readonly #kept = new Map<string, Kept>();

  async countsOf(jobs: JobStore, job: Job, prefix: string | undefined, depth: number): Promise<TreeCounts | undefined> {
    const name = JSON.stringify([job.id, depth, prefix ?? null]);
    const version = JSON.stringify([job.status, job.progress]);
    const kept = this.#kept.get(name);
    const isFresh = kept !== undefined && performance.now() - kept.at < freshMs;
    if (kept?.version === version || (isFresh && !hasEnded(job.status))) return kept?.counts;
    const counts = jobs.countTree(job.id, { depth, ...(prefix !== undefined && { prefix }) });
    this.#kept.delete(name);
    this.#kept.set(name, { version, at: performance.now(), counts });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= treesMax) break;
      this.#kept.delete(oldest);
    }
    counts.catch(() => this.#kept.delete(name));
    return counts;
  }
}

/** Throws a `UserError` if there is no such job, its results are gone, or the prefix is not a URL. */
export async function readTree(
  { jobs, trees }: { readonly jobs: JobStore; readonly trees: TreeCache },
  org: string,
  jobId: string,
  { prefix: given, depth, limit }: JobTreeQuery,
): Promise<JobTree> {
  const job = await getKept(jobs, org, jobId);
  const prefix = given === undefined ? undefined : prefixOf(given, job);
  const counts = await trees.countsOf(jobs, job, prefix, depth);
  if (!counts) throw dataExpired();
  const level = levelOf(counts, prefix ?? '', limit);
  return prefix === undefined ? level : { prefix, ...level };
}

function prefixOf(given: string, { spec }: Job): string {
  const parsed = parseGivenUrl(given.startsWith('/') ? `${new URL(spec.urls[0] ?? '').origin}${given}` : given);
  if ('problem' in parsed) throw new UserError('invalid_parameter', `\`prefix\`: ${parsed.problem}`);
  const { origin, pathname } = parsed.url;
  return `${origin}${pathname}${pathname.endsWith('/') ? '' : '/'}`;
}

/** Groups that begin with the same segments. */
interface Branch {
  readonly counts: { queued: number; scraped: number; discarded: number; failed: number; outside: number };
  readonly below: Map<string, Branch>;
}

function levelOf({ groups, others }: TreeCounts, prefix: string, limit: number): TreeLevel {
  const root = emptyBranch();
  for (const { path, ...counts } of groups) {
    let branch = root;
    for (const segment of path) {
      const next = branch.below.get(segment) ?? emptyBranch();
      branch.below.set(segment, next);
      add(next.counts, counts);
      branch = next;
    }
  }
  return shown(root, prefix, limit, others);
}

function shown({ below }: Branch, prefix: string, limit: number, others: StateCounts): TreeLevel {
  const sorted = [...below].toSorted(
    ([one, a], [other, b]) => sumsOf(b.counts).urls - sumsOf(a.counts).urls || (one < other ? -1 : 1),
  );
  const left = { ...others };
  for (const [, { counts }] of sorted.slice(limit)) add(left, counts);
  const data = sorted.slice(0, limit).map(([segment, branch]) => nodeOf(segment, branch, prefix, limit));
  const sums = sumsOf(left);
  return sums.urls === 0 ? { data } : { data, others: sums };
}

function nodeOf(segment: string, branch: Branch, above: string, limit: number): TreeNode {
  const prefix = `${above}${segment}${segment === '' ? '' : '/'}`;
  const node = { segment, prefix, ...sumsOf(branch.counts) };
  return branch.below.size === 0 ? node : { ...node, ...shown(branch, prefix, limit, emptyBranch().counts) };
}

function emptyBranch(): Branch {
  return { counts: { queued: 0, scraped: 0, discarded: 0, failed: 0, outside: 0 }, below: new Map() };
}

function add(to: Branch['counts'], counts: StateCounts): void {
  to.queued += counts.queued;
  to.scraped += counts.scraped;
  to.discarded += counts.discarded;
  to.outside += counts.outside;
  to.failed += counts.failed;
}

function sumsOf({ queued, scraped, discarded, failed, outside }: StateCounts): TreeSums {
  return { urls: queued + scraped + discarded + failed + outside, scraped, discarded, failed, outside, queued };
}
