import { hasEnded } from '../../../core/job.ts';
import { type StateCounts, type TreeCounts, treeGroupsMax, type TreeQuery } from '../../../core/ports/stores.ts';
import { othersOf } from '../../rules/jobs/url-tree.ts';
import type { Connections } from '../connection/connections.ts';
import { jobRow } from '../../shared/job-reads.ts';
import { runSteps } from '../connection/run-steps.ts';

interface GroupRow extends StateCounts {
  readonly path: readonly string[];
  readonly all_queued: number;
  readonly all_scraped: number;
  readonly all_discarded: number;
  readonly all_failed: number;
  readonly all_outside: number;
}

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
    const rows = await tx.query<GroupRow>(
      `WITH entry AS (
         SELECT ${pathSql} AS path, CASE WHEN state = 'queued' AND $2::boolean THEN 'discarded' ELSE state END AS state
         FROM ledger WHERE job = $1 AND kind = 'page' AND starts_with(url, $4)),
       counted AS (
         SELECT path, count(*) AS urls, ${states.map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`).join(', ')}
         FROM entry GROUP BY path)
       SELECT path, ${states.join(', ')}, ${states.map((state) => `(sum(${state}) OVER ())::bigint AS all_${state}`).join(', ')}
       FROM counted ORDER BY urls DESC, path LIMIT ${treeGroupsMax}`,
      [job.seq, hasEnded(job.status), depth, prefix],
    );
    const groups = rows.map(({ path, queued, scraped, discarded, failed, outside }) => ({
      path,
      queued,
      scraped,
      discarded,
      failed,
      outside,
    }));
    const [first] = rows;
    const all = {
      queued: first?.all_queued ?? 0,
      scraped: first?.all_scraped ?? 0,
      discarded: first?.all_discarded ?? 0,
      failed: first?.all_failed ?? 0,
      outside: first?.all_outside ?? 0,
    };
    return { groups, others: othersOf(all, groups) };
  }, 'REPEATABLE READ READ ONLY');
}
