// Clients of one service, whatever processes it consists of: each operation goes into the history with its outcome.
import { createHash } from 'node:crypto';
import { operatorToken } from '../../test/service/start-service.ts';
import type { Call, JobState, Operation, Outcome, PageRow, UrlRow } from './operation.ts';

/** What a reader keeps from the last response. */
export interface Place {
  readonly cursor: string;
  readonly after: number;
}

export interface Told {
  readonly outcome: Outcome | undefined;
  /** Absent when nothing remains. */
  readonly cursor?: string;
}

interface Slice<Row> {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

interface WireRow {
  readonly meta: { readonly page: number; readonly url: string; readonly meta: Readonly<Record<string, unknown>> };
  readonly text?: string;
}

/** Longer than a server holds a request, so that only a dead connection ends here. */
const responseMs = 40_000;

export class Recorder {
  readonly operations: Operation[] = [];
  readonly #origins: readonly string[];
  readonly #client: string;
  readonly #choose: (origins: readonly string[]) => string;
  /** As every HTTP cache keeps them: the last response with a validator, by path. */
  readonly #kept = new Map<string, { readonly etag: string; readonly body: unknown }>();

  /** `choose` picks the API process that an operation asks. */
  constructor(client: string, origins: readonly string[], choose: (origins: readonly string[]) => string) {
    this.#client = client;
    this.#origins = origins;
    this.#choose = choose;
  }

  create({ key, body, expected, changes }: CreateCall & { readonly body: object }): Promise<Told> {
    const init = { method: 'POST', headers: { 'idempotency-key': key }, json: body };
    const call: Call = { name: 'create', key, expected, ...(changes && { changes }) };
    return this.#record(call, '/crawler/jobs', init, toJob);
  }

  job(job: string): Promise<Told> {
    return this.#record({ name: 'job', job }, `/crawler/jobs/${job}`, {}, toJob);
  }

  cancel(job: string): Promise<Told> {
    return this.#record({ name: 'cancel', job }, `/crawler/jobs/${job}/cancel`, { method: 'POST' }, done);
  }

  delete(job: string): Promise<Told> {
    return this.#record({ name: 'delete', job }, `/crawler/jobs/${job}`, { method: 'DELETE' }, done);
  }

  /** `alsoIn`: the same text in another job. */
  async erase(job: string, page: number, alsoIn?: { readonly job: string; readonly page: number }): Promise<Told> {
    const init = { method: 'POST', json: {} };
    const told = await this.#record(
      { name: 'erase', job, page },
      `/crawler/jobs/${job}/pages/${page}/erase`,
      init,
      done,
    );
    const operation = this.operations.at(-1);
    if (alsoIn && operation) this.operations.push({ ...operation, call: { name: 'erase', ...alsoIn } });
    return told;
  }

  /** One response of `/data` or `/meta`. */
  pages(job: string, place: Place | undefined, limit: number, view: 'data' | 'meta', wait: number): Promise<Told> {
    const query = queryOf({ limit, wait, cursor: place?.cursor });
    const call: Call = { name: 'data', job, after: place?.after ?? 0, limit };
    return this.#record(call, `/crawler/jobs/${job}/${view}?${query}`, {}, (body) => {
      const { data, cursor } = body as Slice<WireRow>;
      return { kind: 'pages', rows: data.map(toPage), isEnd: cursor === undefined };
    });
  }

  /** One response of `/changes`, without the times of runs. */
  changes(job: string, place: Place | undefined, limit: number, wait: number): Promise<Told> {
    const query = queryOf({ limit, wait, cursor: place?.cursor });
    const call: Call = { name: 'changes', job, after: place?.after ?? 0, limit };
    return this.#record(call, `/crawler/jobs/${job}/changes?${query}`, {}, (body) => {
      const { data, cursor } = body as Slice<object>;
      return { kind: 'changes', rows: data.map((row) => JSON.stringify(row)), isEnd: cursor === undefined };
    });
  }

  /** All pages of the ledger; nothing if one of its responses is missing. */
  urls(job: string): Promise<Told> {
    return this.#whole({ name: 'urls', job }, `/crawler/jobs/${job}/urls`, (rows) => ({
      kind: 'urls',
      rows: rows as readonly UrlRow[],
    }));
  }

  list(): Promise<Told> {
    return this.#whole({ name: 'list' }, '/crawler/jobs', (rows) => ({
      kind: 'list',
      ids: rows.map((row) => (row as JobState).id),
    }));
  }

  async #whole(call: Call, path: string, outcomeOf: (rows: readonly unknown[]) => Outcome): Promise<Told> {
    const from = performance.now();
    const rows: unknown[] = [];
    let cursor: string | undefined;
    do {
      const response = await this.#request(`${path}?${queryOf({ limit: 400, cursor })}`, {});
      if (response?.status !== 200) return this.#keep(from, call, refusal(response), undefined);
      const slice = response.body as Slice<unknown>;
      rows.push(...slice.data);
      cursor = slice.cursor;
    } while (cursor !== undefined);
    return this.#keep(from, call, outcomeOf(rows), undefined);
  }

  async #record(call: Call, path: string, init: Init, outcomeOf: (body: unknown) => Outcome): Promise<Told> {
    const from = performance.now();
    const response = await this.#request(path, init);
    if (response === undefined || response.status >= 300) return this.#keep(from, call, refusal(response), undefined);
    return this.#keep(from, call, outcomeOf(response.body), (response.body as { cursor?: string } | undefined)?.cursor);
  }

  #keep(from: number, call: Call, outcome: Outcome | undefined, cursor: string | undefined): Told {
    this.operations.push({ client: this.#client, from, to: performance.now(), call, outcome });
    return { outcome, ...(cursor !== undefined && { cursor }) };
  }

  /** Undefined without a response, or with one of 5xx. */
  async #request(path: string, { method = 'GET', headers, json }: Init): Promise<Response | undefined> {
    const kept = method === 'GET' ? this.#kept.get(path) : undefined;
    try {
      const response = await fetch(`${this.#choose(this.#origins)}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${operatorToken}`,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(kept && { 'if-none-match': kept.etag }),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        signal: AbortSignal.timeout(responseMs),
      });
      const text = await response.text();
      if (response.status >= 500) return undefined;
      if (kept && response.status === 304) return { status: 200, body: kept.body };
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const etag = response.headers.get('etag');
      if (method === 'GET' && response.status === 200 && etag !== null) this.#kept.set(path, { etag, body });
      return { status: response.status, body };
    } catch (error) {
      // The connection broke, or nothing came in time. Anything else is a defect of this program.
      if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError'))
        return undefined;
      throw error;
    }
  }
}

type CreateCall = Omit<Extract<Call, { name: 'create' }>, 'name'>;

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

interface Response {
  readonly status: number;
  readonly body: unknown;
}

const toJob = (body: unknown): Outcome => {
  const { id, status, finishedAt, progress } = body as JobState;
  return { kind: 'job', job: { id, status, finishedAt, progress } };
};

const done = (): Outcome => ({ kind: 'done' });

function toPage({ meta, text }: WireRow): PageRow {
  const isErased = typeof meta.meta['erasedAt'] === 'number';
  return {
    page: meta.page,
    url: meta.url,
    hash: hash(JSON.stringify(meta)),
    ...(text !== undefined && { textHash: hash(text) }),
    isErased,
  };
}

function refusal(response: Response | undefined): Outcome | undefined {
  if (response === undefined) return undefined;
  const code = (response.body as { readonly code?: string } | undefined)?.code ?? '';
  return { kind: 'refused', status: response.status, code };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new URLSearchParams(given).toString();
}
