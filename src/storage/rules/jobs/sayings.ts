// What a job says besides its counts, as its row keeps it: findings and notices in one list, in the order in which they came.
import type { Job, JobFinding, JobNotice } from '../../../core/job.ts';
import {
  type CountedCode,
  type FindingCode,
  isMissing,
  jobCodes,
  type NoticeCode,
  rankOf,
  remedyOf,
} from '../../../core/job-codes.ts';

/** Counts more cases, one by default. A code that the job has keeps its time and its example. `more`: in its place. */
export function countNotice(
  row: { notices: string },
  code: CountedCode,
  example: string,
  now: number,
  cases = 1,
  more: Pick<JobNotice, 'reason'> & { readonly message?: string } = {},
): void {
  const notices = JSON.parse(row.notices) as JobNotice[];
  const at = notices.findIndex((notice) => notice.code === code);
  const known = notices[at];
  const count = (known?.count ?? 0) + cases;
  const first = known?.example ?? example;
  const notice = {
    code,
    message: jobCodes[code].says(count, first),
    at: known?.at ?? now,
    count,
    example: first,
    ...more,
  };
  row.notices = JSON.stringify(known ? notices.with(at, notice) : [...notices, notice]);
}

/** The findings, one of each code, and the notices. */
export function sayings(row: { readonly notices: string }): Pick<Job, 'findings' | 'notices'> {
  const all = JSON.parse(row.notices) as JobNotice[];
  const notices: JobNotice<NoticeCode>[] = [];
  const byCode = new Map<FindingCode, JobNotice[]>();
  for (const one of all) {
    if (isMissing(one.code)) byCode.set(one.code, [...(byCode.get(one.code) ?? []), one]);
    else notices.push({ ...one, code: one.code });
  }
  const findings = Array.from(byCode, ([code, cases]) => findingOf(code, cases));
  // Stores that write in another order show the same.
  const inOrder = findings.toSorted(
    (one, other) =>
      rankOf(one.code) - rankOf(other.code) || other.count - one.count || (one.code < other.code ? -1 : 1),
  );
  return { findings: inOrder, notices };
}

function findingOf(code: FindingCode, cases: readonly JobNotice[]): JobFinding {
  const [first] = cases;
  const { message = '', example = '', reason } = first ?? {};
  const more = cases.length - 1;
  return {
    code,
    count: cases.reduce((sum, { count = 1 }) => sum + count, 0),
    example,
    message: more === 0 ? message : `${message} And ${more} more like this.`,
    remedy: remedyOf(code, reason),
  };
}
