import { hasEnded } from '../../../core/job.ts';
import { type TreeCounts, type TreeGroup, treeGroupsMax, type TreeQuery } from '../../../core/ports/stores.ts';
import { othersOf } from '../../rules/jobs/url-tree.ts';
import type { Connections } from '../connection/connections.ts';
import { jobRow } from '../../shared/job-reads.ts';
import { runSteps } from '../connection/run-steps.ts';

/** The first segments of a URL after a position, without query and fragment. */
const segments = (from: string, count: string): string => {
  const rest = `split_part(split_part(substr(url, ${from}), '?', 1), '#', 1)`;
  // An empty text is an empty segment.
  return `(CASE WHEN ${rest} = '' THEN ARRAY[''] ELSE string_to_array(${rest}, '/') END)[1:${count}]`;
};
const origin = "substring(url FROM '^[^/]+//[^/?#]*')";
/** `$4` is the prefix; empty: the first segment is the origin. */
const pathSql = `CASE WHEN $4::text = '' THEN ARRAY[${origin}] || ${segments(`length(${origin}) + 2`, '$3::int - 1')}
  ELSE ${segments('length($4) + 1', '$3')} END`;

const states = ['queued', 'scraped', 'discarded', 'failed', 'outside'] as const;

/** Counts the URLs of a job by their segments. */
export async function countTree(
  connections: Connections,
  jobId: string,
  { prefix = '', depth }: TreeQuery,
): Promise<TreeCounts | undefined> {
  return connections.transaction(async (tx) => {
    const job = await runSteps(tx, jobRow(jobId));
    if (!job) return undefined;
    const counts = states.map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`).join(', ');
    // The first row counts all URLs.
    const [first, ...groups] = await tx.query<TreeGroup>(
      `WITH entry AS (
         SELECT ${pathSql} AS path, CASE WHEN state = 'queued' AND $2::boolean THEN 'discarded' ELSE state END AS state
         FROM ledger WHERE job = $1 AND kind = 'page' AND starts_with(url, $4))
       SELECT path, ${counts} FROM entry GROUP BY GROUPING SETS ((), (path))
       ORDER BY grouping(path) DESC, count(*) DESC, path LIMIT ${treeGroupsMax + 1}`,
      [job.seq, hasEnded(job.status), depth, prefix],
    );
    if (!first) return undefined;
    const { path: _, ...all } = first;
    return { groups, others: othersOf(all, groups) };
  }, 'REPEATABLE READ READ ONLY');
}
