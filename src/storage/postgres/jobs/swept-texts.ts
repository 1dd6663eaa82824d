import type { Transaction } from '../connection/connections.ts';
import { textsPerJob } from '../../rules/jobs/baseline-rows.ts';
import { isInFeedSql } from '../../rules/jobs/run-feed.ts';

/** First number of the advisory lock of those that remove the last name of a text: each would see the name that the other one removes. */
const textLock = 834_024;

const isNamed = (table: string): string =>
  `EXISTS (SELECT FROM ledger l WHERE l.text_of = ${table}.job * ${textsPerJob} + ${table}.page)`;

/** Removes pages and texts, but for those that a job names. */
export class SweptTexts {
  readonly #rowsPerStep: number;
  /** By job: the last page that was looked at. After a restart, the pages that are kept are looked at again. */
  readonly #progress = new Map<number, number>();

  /** The same: the last entry of the ledger. */
  readonly #entries = new Map<number, number>();

  constructor(rowsPerStep: number) {
    this.#rowsPerStep = rowsPerStep;
  }

  /** Removes the next pages of a job. Returns how many it looked at. */
  async removePages(tx: Transaction, job: number): Promise<number> {
    const from = this.#progress.get(job) ?? 0;
    const pages = await tx.query<{ page: number }>(
      `SELECT page FROM page WHERE job = $1 AND page > $2 ORDER BY job, page LIMIT ${this.#rowsPerStep}`,
      [job, from],
    );
    const last = pages.at(-1)?.page;
    if (last === undefined) {
      this.#progress.delete(job);
      return 0;
    }
    const values = [job, from, last];
    const removing = (table: string): string =>
      // mutant postgres-named-text-swept, promise 18: `NOT ${isNamed(table)}` -> `true`; postgres/special-contracts "keeps the texts that it names"
      `DELETE FROM ${table} WHERE job = $1 AND page > $2 AND page <= $3 AND NOT ${isNamed(table)}`;
    for (const table of ['page', 'body']) await tx.run(removing(table), values);
    this.#progress.set(job, last);
    return pages.length;
  }

  /**
   * Removes some URLs of a job, and the texts of jobs swept before that nobody names any more. What the feed of a schedule
   * lists stays, without naming a text. Returns how many it looked at.
   */
  async removeUrls(tx: Transaction, job: number): Promise<number> {
    const from = this.#entries.get(job) ?? 0;
    // In index order, so that it reads neither rows of other jobs nor all of this one's.
    const some = await tx.query<{ id: number; text_of: number | null }>(
      `SELECT id, text_of FROM ledger WHERE job = $1 AND id > $2 ORDER BY job, id LIMIT ${this.#rowsPerStep}`,
      [job, from],
    );
    const last = some.at(-1)?.id;
    if (last === undefined) {
      this.#entries.delete(job);
      return 0;
    }
    const range = [job, from, last];
    const names = [...new Set(some.map(({ text_of: text }) => text).filter((text) => text !== null))];
    if (names.length > 0) await tx.query('SELECT pg_advisory_xact_lock($1, 0)', [textLock]);
    // A URL that was never taken is still in the frontier.
    await tx.run(
      'DELETE FROM frontier WHERE id IN (SELECT id FROM ledger WHERE job = $1 AND id > $2 AND id <= $3)',
      range,
    );
    // mutant postgres-swept-run-leaves-feed, promise 20: `NOT (${isInFeedSql})` -> `true`; postgres/special-contracts "beyond those that are kept"
    await tx.run(`DELETE FROM ledger WHERE job = $1 AND id > $2 AND id <= $3 AND NOT (${isInFeedSql})`, range);
    await tx.run(
      'UPDATE ledger SET text_of = NULL WHERE job = $1 AND id > $2 AND id <= $3 AND text_of IS NOT NULL',
      range,
    );
    this.#entries.set(job, last);
    if (names.length === 0) return some.length;
    const removing = (table: string): string =>
      `DELETE FROM ${table} USING unnest($1::bigint[]) AS u (text)
       WHERE ${table}.job = u.text / ${textsPerJob} AND ${table}.page = u.text % ${textsPerJob}
         AND (SELECT swept FROM job WHERE seq = ${table}.job) AND NOT ${isNamed(table)}`;
    for (const table of ['page', 'body']) await tx.run(removing(table), [names]);
    return some.length;
  }
}
