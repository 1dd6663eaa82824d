import { Client, type ClientConfig, type QueryConfig } from 'pg';
import { type Changed, Changes, topicsOf } from '../../rules/frontier/changes.ts';
import { clientConfig, prepareSession, type SessionOptions } from './sessions.ts';

const channel = 'hayrake';
/**
 * Changes within this time go to other processes in one notification. PostgreSQL commits notifications one at a time,
 * so one per commit would make commits queue.
 */
const tellEveryMs = 50;
/** A notification has at most 8,000 bytes. */
const topicsPerMessage = 200;
const reconnectMs = 1_000;
/** A connection that was cut silently reports nothing, so it is probed at this interval. */
const beatEveryMs = 10_000;
const beatTimeoutMs = 5_000;

export interface SignalsOptions extends SessionOptions {
  /** Called when the database does not respond. */
  readonly onSilence?: (error: unknown) => void;
}

/** Notifies callers, in this and in other processes, that something can have changed. Only hints: waiters also poll. */
export class Signals {
  readonly #options: SignalsOptions;
  readonly #changes = new Changes();
  readonly #topics = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #client: Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SignalsOptions) {
    this.#options = options;
  }

  /** Opens a connection to listen on, and reopens it whenever it breaks. */
  listen(): void {
    if (this.#closed) return;
    const client = new Client({ ...clientConfig(this.#options), pipeline: true });
    let beat: NodeJS.Timeout | undefined;
    const lost = (): void => {
      clearInterval(beat);
      if (this.#client === client) this.#client = undefined;
      client.removeAllListeners('notification');
      client.end().catch(() => {});
      if (!this.#closed && !this.#retry) this.#retry = setTimeout(() => this.#again(), reconnectMs).unref();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload = '' }) => this.#changes.announce(payload.split(' ')));
    const isSilent = (error: unknown): void => {
      lost();
      if (!this.#closed) this.#options.onSilence?.(error);
    };
    client
      .connect()
      .then(async () => {
        await prepareSession(client);
        await client.query(`LISTEN ${channel}`);
        if (this.#closed) {
          await client.end();
          return;
        }
        this.#client = client;
        const ask: QueryConfig & ClientConfig = { text: 'SELECT 1', query_timeout: beatTimeoutMs };
        beat = setInterval(() => void client.query(ask).catch(isSilent), beatEveryMs).unref();
      })
      .catch(isSilent);
  }

  announce(changed: Changed): void {
    const topics = topicsOf(changed);
    if (topics.length === 0) return;
    // The caller continues first: it can be about to wait for exactly this change.
    setImmediate(() => this.#changes.announce(topics));
    for (const topic of topics) this.#topics.add(topic);
    this.#timer ??= setTimeout(() => this.#tell(), tellEveryMs).unref();
  }

  wait(topic: string, maxMs: number, signal: AbortSignal): Promise<void> {
    return this.#changes.wait(topic, maxMs, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  #again(): void {
    this.#retry = undefined;
    this.listen();
  }

  #tell(): void {
    this.#timer = undefined;
    const topics = [...this.#topics];
    this.#topics.clear();
    const client = this.#client;
    if (!client) return;
    for (let from = 0; from < topics.length; from += topicsPerMessage) {
      const message = topics.slice(from, from + topicsPerMessage).join(' ');
      // A lost hint costs a moment: other processes poll.
      client.query('SELECT pg_notify($1, $2)', [channel, message]).catch(() => {});
    }
  }
}
