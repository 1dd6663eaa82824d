// The statement that leases the host whose turn it is: see `rules/frontier/lease-turns.ts`. Every step is an index lookup.
import { jobsPerLease, orgsPerLease, urgentRank } from '../../rules/frontier/lease-turns.ts';
import { nowSql } from '../connection/schema.ts';
import { aliveSql } from './workers.ts';

/** A host that waits in the line of a job: the condition of the index `host_slot_line`, or `host_slot_plain_line`. */
const inLineFor = (hasBrowser: boolean): string =>
  `in_line AND owner IS NULL${hasBrowser ? '' : ' AND NOT for_browser'}`;

const leaseDueSql = `
  UPDATE host_slot s SET owner = $1, fence = nextval('fence'), in_line = false
  FROM due, host h WHERE s.host = due.host AND h.id = due.host
  RETURNING s.host, h.name, s.fence, s.org, s.rank, s.job, s.next_at, s.next_at > ${nowSql} AS must_rest, s.last_job, h.delay_ms, h.memory, ${nowSql} - h.memory_at AS age, due.place`;

/** The next org after one, in a ring. */
const orgAfter = (org: string, inLine: string): string =>
  `coalesce((SELECT org FROM host_slot WHERE ${inLine} AND org > ${org} ORDER BY org LIMIT 1), (SELECT org FROM host_slot WHERE ${inLine} ORDER BY org LIMIT 1))`;
const jobAfter = (job: string, inLine: string): string => {
  const line = `${inLine} AND org = c.org AND rank = c.rank`;
  return `coalesce((SELECT min(job) FROM host_slot WHERE ${line} AND job > ${job}), (SELECT min(job) FROM host_slot WHERE ${line}))`;
};

/**
 * Parameters: the worker; the last org; ranks in search order; true for urgent ranks only; the lane limit of an org;
 * orgs with their lanes and last jobs; jobs with their lanes; true if due hosts that are not in a line yet count too;
 * hosts to lease at most.
 * Without a browser, hosts where only jobs that need one have work are left out.
 */
export const leaseSql = (hasBrowser: boolean): string => (hasBrowser ? leaseAnySql : leasePlainSql);

const leaseFrom = (inLine: string): string => `${aliveSql('$1')},
  orgs AS (
    SELECT a.org, a.org AS first, 1 AS place FROM (SELECT ${orgAfter('$2', inLine)} AS org) a WHERE a.org IS NOT NULL
    UNION ALL
    SELECT n.org, orgs.first, orgs.place + 1 FROM orgs CROSS JOIN LATERAL (SELECT ${orgAfter('orgs.org', inLine)} AS org) n
    WHERE n.org <> orgs.first AND orgs.place < ${orgsPerLease}),
  known AS (SELECT * FROM unnest($6::text[], $7::int[], $8::bigint[]) AS k (org, lanes, last_job)),
  chosen_org AS MATERIALIZED (
    SELECT orgs.org, coalesce(known.last_job, 0) AS last_job, $4 OR coalesce(known.lanes, 0) >= $5 AS is_full, $5 - coalesce(known.lanes, 0) AS room
    FROM orgs LEFT JOIN known USING (org) CROSS JOIN LATERAL (SELECT rank FROM host_slot WHERE ${inLine} AND org = orgs.org ORDER BY rank LIMIT 1) r
    WHERE r.rank <= ${urgentRank} OR NOT ($4 OR coalesce(known.lanes, 0) >= $5)
    ORDER BY r.rank > ${urgentRank}, coalesce(known.lanes, 0), orgs.place LIMIT 1),
  chosen AS MATERIALIZED (
    SELECT c.org, c.last_job, r.rank, CASE WHEN r.rank <= ${urgentRank} THEN $12::int ELSE least($12::int, c.room) END AS most FROM chosen_org c CROSS JOIN unnest($3::int[]) WITH ORDINALITY AS r (rank, place)
    WHERE (r.rank <= ${urgentRank} OR NOT c.is_full) AND EXISTS (SELECT FROM host_slot WHERE ${inLine} AND org = c.org AND rank = r.rank)
    ORDER BY r.place LIMIT 1),
  jobs AS (
    SELECT a.job, a.job AS first, 1 AS place FROM chosen c CROSS JOIN LATERAL (SELECT ${jobAfter('c.last_job', inLine)} AS job) a
    UNION ALL
    SELECT n.job, jobs.first, jobs.place + 1 FROM jobs CROSS JOIN chosen c CROSS JOIN LATERAL (SELECT ${jobAfter('jobs.job', inLine)} AS job) n
    WHERE n.job <> jobs.first AND jobs.place < ${jobsPerLease}),
  ordered AS MATERIALIZED (
    SELECT jobs.job, row_number() OVER (ORDER BY coalesce(k.lanes, 0), jobs.place) AS place FROM jobs LEFT JOIN unnest($9::bigint[], $10::int[]) AS k (job, lanes) USING (job) ORDER BY coalesce(k.lanes, 0), jobs.place),
  from_line AS MATERIALIZED (
    SELECT d.host, ordered.place FROM ordered CROSS JOIN chosen c CROSS JOIN LATERAL (
      SELECT o.host FROM host_slot o
      WHERE ${inLine} AND o.org = c.org AND o.rank = c.rank AND o.job = ordered.job AND o.ready_at <= ${nowSql}
        AND EXISTS (SELECT FROM me)
      ORDER BY o.ready_at LIMIT (SELECT ceil(most::float / (SELECT count(*) FROM ordered)) FROM chosen) FOR NO KEY UPDATE SKIP LOCKED) d
    LIMIT (SELECT most FROM chosen)),
  ${otherSql('NOT o.in_line AND $11 AND NOT EXISTS (SELECT FROM from_line)', '$12::int')},
  due AS (SELECT * FROM from_line UNION ALL SELECT * FROM other)
  ${leaseDueSql}`;

const leaseAnySql = leaseFrom(inLineFor(true));
const leasePlainSql = leaseFrom(inLineFor(false));

/** Like {@link leaseSql}, for one job only. `onlyJob`: a condition on the host `o`. */
export function leaseOfJobSql(onlyJob: string, hasBrowser: boolean): string {
  const condition = hasBrowser ? onlyJob : `${onlyJob} AND (NOT o.for_browser OR o.plain_at <= ${nowSql})`;
  return `${aliveSql('$1')}, ${otherSql(condition, '$2::int')}, due AS (SELECT * FROM other) ${leaseDueSql}`;
}

/** Puts hosts that became due into the lines of their jobs. */
export const promoteSql = `
  WITH late AS MATERIALIZED (
    SELECT host FROM host_slot WHERE NOT in_line AND owner IS NULL AND ready_at <= ${nowSql} ORDER BY ready_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE host_slot s SET in_line = true FROM late WHERE s.host = late.host`;

/** Lets processes without a browser look again at hosts where something else can have become due. */
export const wakePlainSql = `
  WITH due AS MATERIALIZED (
    SELECT host FROM host_slot WHERE plain_at <= ${nowSql} ORDER BY plain_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE host_slot s SET for_browser = false, plain_at = NULL FROM due WHERE s.host = due.host`;

export const anyDueSql = (hasBrowser: boolean): string =>
  `SELECT FROM host_slot WHERE in_line AND owner IS NULL AND ready_at <= ${nowSql}${hasBrowser ? '' : ' AND NOT for_browser'} LIMIT 1`;

// Materialized, so that it runs once: the planner can run a subquery for each host, and would lease all due hosts.
function otherSql(condition: string, most: string): string {
  return `other AS MATERIALIZED (
    SELECT o.host, 0::bigint AS place FROM host_slot o
    WHERE o.owner IS NULL AND o.ready_at <= ${nowSql} AND EXISTS (SELECT FROM me) AND ${condition}
    ORDER BY o.in_line, o.ready_at LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED)`;
}
