import type { Database, Statement } from './database.ts';
import { failPoint } from '../../core/fail-point.ts';
import type { EndedTemplate, HostLease, Notice, Settlement } from '../../core/frontier.ts';
import { hasEnded } from '../../core/job.ts';
import type { PageRecord } from '../../core/page.ts';
import { ledgerReason } from '../../core/reasons.ts';
import type { CrawlError, Outcome, RequestKind } from '../../core/request.ts';
import { startDepth } from '../../core/request.ts';
import type { JobRow, JobRows } from './job-rows.ts';
import { addNotice, countReason, endIfDone } from './job-rows.ts';
import type { Ledger } from './ledger.ts';
import { pageId } from './schema.ts';

/** Sitemaps read for one job at most. */
const sitemapsMax = 500;

interface EntryRow {
  readonly id: number;
  readonly job: number;
  readonly key: string;
  readonly kind: RequestKind;
  readonly depth: number;
}

/** How a ledger entry ends. */
interface Ending {
  readonly state: 'scraped' | 'discarded' | 'failed';
  readonly reason?: string;
  readonly detail?: string | undefined;
  readonly page?: number;
  readonly statusCode?: number | undefined;
}

/** Writes what became of one request. Everything of one settlement is in one transaction of the writer. */
export class Settling {
  readonly #jobs: JobRows;
  readonly #ledger: Ledger;
  readonly #entry: Statement<[number], EntryRow>;
  readonly #remove: Statement<[number, number, number]>;
  readonly #forget: Statement<[number]>;
  readonly #giveUp: Statement<[string, string, number | null, number]>;
  readonly #postpone: Statement<[number, number, number, number]>;
  readonly #noteAttempt: Statement<[string, string, number | null, number]>;
  readonly #end: Statement<[string, string | null, string | null, number | null, number | null, number]>;
  readonly #pageKey: Statement<[number, string], { url: string }>;
  readonly #addPageKey: Statement<[number, string, number]>;
  readonly #addPage: Statement<[number, Uint8Array]>;
  readonly #addBody: Statement<[number, Uint8Array, number, number]>;
  readonly #addEndedTemplate: Statement<[number, string]>;

  constructor(db: Database, jobs: JobRows, ledger: Ledger) {
    this.#jobs = jobs;
    this.#ledger = ledger;
    this.#entry = db.prepare('SELECT id, job, key, kind, depth FROM ledger WHERE id = ?');
    this.#remove = db.prepare('DELETE FROM frontier WHERE id = ? AND host = ? AND fence = ?');
    this.#forget = db.prepare('DELETE FROM frontier WHERE id = ?');
    this.#giveUp = db.prepare(
      "UPDATE ledger SET state = 'failed', reason = ?, detail = ?, status_code = ? WHERE id = ?",
    );
    this.#postpone = db.prepare(
      'UPDATE frontier SET fence = NULL, not_before = ?, deaths = 0, alone = 0 WHERE id = ? AND host = ? AND fence = ?',
    );
    this.#noteAttempt = db.prepare(
      'UPDATE ledger SET attempts = attempts + 1, reason = ?, detail = ?, status_code = ? WHERE id = ?',
    );
    this.#end = db.prepare(
      'UPDATE ledger SET attempts = attempts + 1, state = ?, reason = ?, detail = ?, page = ?, status_code = ? WHERE id = ?',
    );
    this.#pageKey = db.prepare(
      'SELECT l.url FROM page_key k JOIN ledger l ON l.id = k.entry WHERE k.job = ? AND k.key = ?',
    );
    this.#addPageKey = db.prepare('INSERT INTO page_key (job, key, entry) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
    this.#addPage = db.prepare('INSERT INTO page (id, meta) VALUES (?, ?)');
    this.#addEndedTemplate = db.prepare(
      'INSERT INTO ended_template (job, template) VALUES (?, ?) ON CONFLICT DO NOTHING',
    );
    this.#addBody = db.prepare('INSERT INTO body (id, deflated, crc, length) VALUES (?, ?, ?, ?)');
  }

  settle(lease: HostLease, settlement: Settlement, now: number): void {
    const { request, outcome, fetched, endedTemplate } = settlement;
    const entry = this.#entry.get(request.id);
    const job = entry && this.#jobs.get(entry.job);
    if (!entry || !job || hasEnded(job.status)) {
      // An ended job never changes again.
      this.#remove.run(request.id, lease.hostId, lease.fence);
      return;
    }
    const { changes } =
      outcome.kind === 'retry'
        ? this.#postpone.run(Math.ceil(now + outcome.afterMs), request.id, lease.hostId, lease.fence)
        : this.#remove.run(request.id, lease.hostId, lease.fence);
    // Not taken under this lease: somebody else's work.
    if (changes === 0) return;

    this.#jobs.touch(job);
    if (entry.kind === 'page') {
      job.in_flight--;
      // Sitemaps do not count: they are bounded by their own limit, and would use up a small one before the first page.
      if (fetched) job.fetches++;
    } else if (outcome.kind !== 'retry') job.control--;
    this.#write(job, entry, outcome, now);
    if (endedTemplate) this.#endTemplate(job, endedTemplate);
    failPoint('settle.ending');
    endIfDone(job, Date.now());
  }

  /** Fails a request that is pending: it is not attempted any more. */
  giveUp(id: number, seq: number, error: CrawlError, notice: Notice | undefined): void {
    this.#forget.run(id);
    const entry = this.#entry.get(id);
    const job = this.#jobs.get(seq);
    if (!entry || !job || hasEnded(job.status)) return;
    this.#jobs.touch(job);
    this.#giveUp.run(ledgerReason(error), error.message, error.statusCode ?? null, id);
    if (entry.kind === 'page') {
      job.queued--;
      job.failed++;
      countReason(job, ledgerReason(error));
      if (notice) addNotice(job, { ...notice, at: Date.now() });
    } else job.control--;
    endIfDone(job, Date.now());
  }

  #write(job: JobRow, entry: EntryRow, outcome: Outcome, now: number): void {
    switch (outcome.kind) {
      case 'retry':
        if (entry.kind === 'page') job.queued++;
        this.#noteAttempt.run(
          ledgerReason(outcome.error),
          outcome.error.message,
          outcome.error.statusCode ?? null,
          entry.id,
        );
        break;
      case 'failed':
        this.#endEntry(job, entry, failure(outcome.error));
        break;
      case 'discarded': {
        const { reason, detail, statusCode } = outcome;
        this.#endEntry(job, entry, { state: 'discarded', reason, detail, statusCode });
        this.#ledger.add(job, outcome.links ?? [], 'page', entry.id, now);
        break;
      }
      case 'scraped':
        if (outcome.scopeHost !== undefined) extendScope(job, outcome.scopeHost);
        this.#addPageOrDuplicate(job, entry, outcome.page);
        this.#ledger.add(job, outcome.links, 'page', entry.id, now);
        failPoint('settle.links');
        break;
      case 'sitemap':
        this.#endEntry(job, entry, { state: 'scraped' });
        job.sitemap_pages += outcome.urls.length;
        this.#ledger.add(job, outcome.urls, 'page', null, now);
        for (const sitemap of outcome.sitemaps) {
          if (job.sitemaps >= sitemapsMax) break;
          job.sitemaps += this.#ledger.add(job, [sitemap], 'sitemap', null, now);
        }
        break;
    }
  }

  #addPageOrDuplicate(job: JobRow, entry: EntryRow, page: PageRecord): void {
    const { statusCode } = page;
    const original = this.#originalOf(job, entry, page);
    if (original !== undefined) {
      this.#endEntry(job, entry, { state: 'discarded', reason: 'duplicate_of', detail: original, statusCode });
      return;
    }
    // The job's row is this transaction's own: the number cannot be given twice, and becomes visible in order.
    const number = job.scraped + 1;
    const id = pageId(job.seq, number);
    this.#addPage.run(id, page.meta);
    failPoint('settle.page');
    this.#addBody.run(id, page.body.deflated, page.body.crc, page.body.length);
    this.#addPageKey.run(job.seq, `u${entry.key}`, entry.id);
    this.#addPageKey.run(job.seq, `u${page.fetchedKey}`, entry.id);
    if (page.contentKey !== undefined) this.#addPageKey.run(job.seq, `c${page.contentKey}`, entry.id);
    this.#endEntry(job, entry, { state: 'scraped', page: number, statusCode });
  }

  /** The URL under which the job, or one that it repeats, has this page already. Start URLs were asked for: only a redirect makes them duplicates. */
  #originalOf(job: JobRow, entry: EntryRow, page: PageRecord): string | undefined {
    const keys = [`u${page.fetchedKey}`];
    if (entry.depth > startDepth) {
      if (page.canonicalKey !== undefined) keys.push(`u${page.canonicalKey}`);
      if (page.contentKey !== undefined) keys.push(`c${page.contentKey}`);
    }
    // A retry has what the jobs before it have delivered.
    for (const seq of [job.seq, ...this.#ledger.earlierJobs(job)]) {
      for (const key of keys) {
        const original = this.#pageKey.get(seq, key);
        if (original) return original.url;
      }
    }
    return undefined;
  }

  #endEntry(job: JobRow, entry: EntryRow, ending: Ending): void {
    const { state, reason, detail, page, statusCode } = ending;
    this.#end.run(state, reason ?? null, detail ?? null, page ?? null, statusCode ?? null, entry.id);
    if (entry.kind !== 'page') return;
    job[state]++;
    if (reason !== undefined) countReason(job, reason);
  }

  #endTemplate(job: JobRow, { template, pages }: EndedTemplate): void {
    if (this.#addEndedTemplate.run(job.seq, template).changes === 0) return;
    // Whoever holds the job must read it anew.
    job.version++;
    const message = `The last ${pages} pages like ${template} brought no new text, so this looks like a crawler trap: the other URLs of this form are not fetched.`;
    addNotice(job, { code: 'trap', message, at: Date.now() });
  }
}

function failure(error: CrawlError): Ending {
  return { state: 'failed', reason: ledgerReason(error), detail: error.message, statusCode: error.statusCode };
}

function extendScope(job: JobRow, host: string): void {
  const hosts = JSON.parse(job.scope_hosts) as string[];
  if (hosts.includes(host)) return;
  job.scope_hosts = JSON.stringify([...hosts, host]);
  job.version++;
}
