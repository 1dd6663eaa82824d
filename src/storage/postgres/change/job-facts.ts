import { earlierJobsMax } from '../../rules/frontier/ledger.ts';
import type { Connections } from '../connection/connections.ts';
import { RecentMap } from './recent-map.ts';

/** The facts of a job that never change. */
export interface KnownJob {
  readonly seq: number;
  /** The job that this one retries, the job that that one retries, and so on. */
  readonly earlier: readonly number[];
  readonly hasWebhook: boolean;
  /** The job that `since` names. */
  readonly since: number | null;
}

/** The most recently used jobs are remembered. */
const rememberedMax = 5_000;

/** What must be known of a job before its row can be locked. */
export class JobFacts {
  readonly #connections: Connections;
  readonly #byId = new RecentMap<string, KnownJob>(rememberedMax);
  readonly #bySeq = new RecentMap<number, KnownJob>(rememberedMax);

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Undefined if {@link learn} was not called for it, or there is no such job. */
  of(id: string): KnownJob | undefined {
    return this.#byId.get(id);
  }

  ofSeq(seq: number): KnownJob | undefined {
    return this.#bySeq.get(seq);
  }

  async learn(ids: Iterable<string>): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => this.#byId.get(id) === undefined);
    if (unknown.length > 0) await this.#ask('id = ANY($1::text[])', unknown);
  }

  /** `on`: the transaction that waits for it, if any: it must not wait for another connection. */
  async learnSeqs(seqs: Iterable<number>, on?: Pick<Connections, 'query'>): Promise<void> {
    const unknown = [...new Set(seqs)].filter((seq) => this.#bySeq.get(seq) === undefined);
    if (unknown.length > 0) await this.#ask('seq = ANY($1::bigint[])', unknown, on);
  }

  note(id: string, job: KnownJob): void {
    this.#byId.set(id, job);
    this.#bySeq.set(job.seq, job);
  }

  async #ask(
    condition: string,
    values: readonly (string | number)[],
    on: Pick<Connections, 'query'> = this.#connections,
  ): Promise<void> {
    const rows = await on.query<{
      id: string;
      seq: number;
      has_webhook: boolean;
      since: number | null;
      earlier: string[];
    }>(
      `WITH RECURSIVE chain AS (
         SELECT id, seq, webhook_url IS NOT NULL AS has_webhook, since, retry_of, NULL::bigint AS earlier, 0 AS length FROM job WHERE ${condition}
         UNION ALL
         SELECT c.id, c.seq, c.has_webhook, c.since, j.retry_of, j.seq, c.length + 1 FROM chain c JOIN job j ON j.id = c.retry_of WHERE c.length < ${earlierJobsMax})
       SELECT id, seq, has_webhook, since, coalesce(array_agg(earlier::text ORDER BY length) FILTER (WHERE earlier IS NOT NULL), '{}') AS earlier
       FROM chain GROUP BY id, seq, has_webhook, since`,
      [values],
    );
    for (const { id, seq, has_webhook: hasWebhook, since, earlier } of rows) {
      this.note(id, { seq, hasWebhook, since, earlier: earlier.map(Number) });
    }
  }
}
