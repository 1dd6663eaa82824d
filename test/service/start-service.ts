// The real program as a child process, on a free port and with a store of its own: what the tests talk to.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { mainModule } from '../main-module.ts';
import { createTestStore, storeIn, type TestStore } from './test-store.ts';

export const operatorToken = 'the-operator-token-of-the-tests-0123456789';

export interface ServiceOptions {
  /** Settings beside those of the tests; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What starts the program, such as a shell that sets limits first: it is given the command as arguments. @default nothing */
  readonly starter?: readonly string[];
  /** An existing data directory, which {@link TestService.close} then leaves alone. @default a new store */
  readonly directory?: string;
  /** A store that is there already, such as another service's, which {@link TestService.close} then leaves alone. */
  readonly store?: TestStore;
  /** What the process does: both, or one of them. @default 'serve' */
  readonly role?: 'serve' | 'api' | 'worker';
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A job as the API shows it, as far as tests look into it. */
export interface JobAnswer {
  readonly id: string;
  readonly org: string;
  readonly status: string;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly progress: Readonly<
    Record<'discovered' | 'queued' | 'inFlight' | 'scraped' | 'discarded' | 'failed' | 'outside', number>
  >;
  readonly notices: readonly { readonly code: string; readonly message: string; readonly at: number }[];
  readonly complete: boolean | null;
  readonly findings: readonly {
    readonly code: string;
    readonly count: number;
    readonly example: string;
    readonly message: string;
    readonly remedy: string;
  }[];
  readonly [field: string]: unknown;
}

/** What `fetch` takes, with the token beside it: `null` sends none. */
export interface ApiInit extends RequestInit {
  readonly token?: string | null;
  /** Sent as JSON with the fitting content type. */
  readonly json?: unknown;
}

export interface RawInit {
  readonly method?: string;
  /** Several values of one name are sent as several headers. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  readonly token?: string | null;
  /** The address that it comes from, such as `127.0.0.2`. */
  readonly from?: string;
}

/** An answer whose bytes nobody has touched: not unpacked, not decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Starts the service and resolves when it has said where it listens. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const service = new TestService(options.store ?? (await createTestStore(options.directory)), options);
  try {
    await service.start();
  } catch (error) {
    await service.close();
    throw error;
  }
  return service;
}

export class TestService {
  readonly store: TestStore;
  readonly token = operatorToken;
  readonly #options: ServiceOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<number | null> = Promise.resolve(null);
  #origin = '';
  #stderr = '';
  #stdout = '';

  /** `store` may be a data directory. */
  constructor(store: TestStore | string, options: ServiceOptions) {
    this.store = typeof store === 'string' ? storeIn(store) : store;
    this.#options = options;
  }

  get directory(): string {
    return this.store.directory;
  }

  /** `http://127.0.0.1:PORT`; another one after each restart. */
  get origin(): string {
    return this.#origin;
  }

  get port(): number {
    return Number(new URL(this.#origin).port);
  }

  /** All that was written to standard error, over all restarts. */
  get stderr(): string {
    return this.#stderr;
  }

  /** What the process that runs now has written to standard output up to where it listens, and after it. */
  get stdout(): string {
    return this.#stdout;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The exit code of the process that runs now, once it has one; null after a signal. */
  get exited(): Promise<number | null> {
    return this.#exited;
  }

  async start(): Promise<void> {
    const { starter = [], role = 'serve' } = this.#options;
    const [command, ...args] = [...starter, process.execPath, mainModule, role];
    const child = spawn(command, args, {
      env: this.#env(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#exited = once(child, 'exit').then(([code]) => code as number | null);
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.#stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    for await (const line of createInterface({ input: child.stdout })) {
      const [, ofApi, origin = ofApi] =
        /(?:API\s+(http:\S+)\/crawler\/jobs|Health\s+(http:\S+)\/readyz)/.exec(line) ?? [];
      if (origin === undefined) continue;
      this.#origin = origin;
      child.stdout.resume();
      return;
    }
    throw new Error(`the service ended with exit code ${await this.#exited} before it was ready:\n${this.#stderr}`);
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** SIGKILL, as a power cut would do it. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops in order, and starts again on the same store. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Stops and removes the store. */
  async close(): Promise<void> {
    await this.stop();
    if (this.#options.store === undefined) await this.store.remove();
  }

  /** A request with the operator's token. */
  async api(urlPath: string, init: ApiInit = {}): Promise<Response> {
    const { token = this.token, json, headers, ...rest } = init;
    const all = new Headers(headers);
    if (token !== null && !all.has('authorization')) all.set('authorization', `Bearer ${token}`);
    if (json !== undefined) all.set('content-type', 'application/json');
    return fetch(`${this.#origin}${urlPath}`, {
      ...rest,
      ...(json !== undefined && { method: rest.method ?? 'POST', body: JSON.stringify(json) }),
      headers: all,
    }).catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
      // Most often it has ended, and said why.
      throw new TypeError(`no answer to ${urlPath}; the service said: ${this.#stderr.slice(-2_000)}`, { cause: error });
    });
  }

  /** The JSON of an answer that has to be a 200. */
  async ok<Answer>(urlPath: string, init: ApiInit = {}): Promise<Answer> {
    const response = await this.api(urlPath, init);
    if (response.status !== 200) throw new Error(`${urlPath} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  /** A request as written, through `node:http`: any path, any header, nothing unpacked. */
  async raw(urlPath: string, init: RawInit = {}): Promise<RawAnswer> {
    const { method = 'GET', headers = {}, body, token = this.token, from } = init;
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: this.port,
        path: urlPath,
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined &&
            !('transfer-encoding' in headers) && { 'content-length': `${Buffer.byteLength(body)}` }),
          ...headers,
        },
        agent: false,
        ...(from !== undefined && { localAddress: from }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
          )
          .on('error', reject);
      },
    ).on('error', reject);
    request.end(body);
    return promise;
  }

  createJob(body: Readonly<Record<string, unknown>>, init: ApiInit = {}): Promise<JobAnswer> {
    return this.ok('/crawler/jobs', { ...init, json: body });
  }

  job(id: string): Promise<JobAnswer> {
    return this.ok(`/crawler/jobs/${id}`);
  }

  /** Resolves when the job has ended: the results are waited for until no cursor comes any more. */
  async untilEnded(id: string, init: ApiInit = {}): Promise<JobAnswer> {
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({ wait: '60', ...(cursor !== undefined && { cursor }) });
      ({ cursor } = await this.ok<{ cursor?: string }>(`/crawler/jobs/${id}/meta?${query.toString()}`, init));
    } while (cursor !== undefined);
    return this.ok(`/crawler/jobs/${id}`, init);
  }

  /** Creates a job and waits for its end. */
  async crawl(body: Readonly<Record<string, unknown>>): Promise<JobAnswer> {
    const { id } = await this.createJob(body);
    return this.untilEnded(id);
  }

  /**
   * The same for large pages, of which all must be there: on a busy machine one can take longer than a conversion may.
   * Crawls up to three times, and prints what was lost.
   */
  async crawlLarge(body: Readonly<Record<string, unknown>>, pages: number): Promise<JobAnswer> {
    for (let tries = 1; ; tries++) {
      const job = await this.crawl(body);
      if (job.progress.scraped === pages) return job;
      const lost = await this.ok(`/crawler/jobs/${job.id}/urls?status=failed`);
      const why = `a job lost large pages: ${JSON.stringify([job['reasons'], lost])}`;
      if (tries === 3) throw new Error(why);
      console.log(why);
    }
  }

  /** Any other command of the program, on the same store, to its end. */
  async run(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<Finished> {
    const child = spawn(process.execPath, [mainModule, ...args], {
      env: { ...this.#env(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  /** Makes a token with `hayrake token create`, while the service runs. */
  async createToken(options: { readonly org: string; readonly permissions?: string }): Promise<NewToken> {
    const { org, permissions = 'read,write' } = options;
    const { stdout, stderr, code } = await this.run(['token', 'create', '--org', org, '--permissions', permissions]);
    const id = /^Token (\S+) of org/m.exec(stderr)?.[1];
    if (code !== 0 || id === undefined) throw new Error(`no token was made: ${stderr}`);
    return { id, token: stdout.trim() };
  }

  /** One statement on the database, for what no test can wait for. Only while the service is stopped. */
  async changeDatabase<Row = unknown>(sql: string): Promise<Row[]> {
    if (this.#child !== undefined) throw new Error('stop the service before changing its database');
    return this.store.query<Row>(sql);
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    this.#child = undefined;
    child?.kill(signal);
    return this.#exited;
  }

  /** Nothing of the machine's own settings, so that a test means the same everywhere. */
  #env(): Record<string, string | undefined> {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HAYRAKE_'));
    return {
      ...Object.fromEntries(inherited),
      // A start is half as long when the modules need not be compiled again.
      NODE_COMPILE_CACHE: path.join(tmpdir(), 'hayrake-test-compiled'),
      // Tests that are not about the browser see pages as they are fetched, on every machine.
      HAYRAKE_BROWSER: 'off',
      ...this.store.env,
      HAYRAKE_PORT: '0',
      HAYRAKE_TOKEN: operatorToken,
      HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8',
      HAYRAKE_LOG_LEVEL: 'warn',
      ...this.#options.env,
    };
  }
}

export interface NewToken {
  /** Its public name, for revoking. */
  readonly id: string;
  readonly token: string;
}
