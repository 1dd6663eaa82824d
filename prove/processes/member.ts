// One of the processes that share a database, and a client of the API process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JobAnswer, operatorToken } from '../../test/service/start-service.ts';
import { sentMark } from './lease.ts';
import { machineNow } from './many-hosts.ts';

/** A request, and the two moments around its send, in milliseconds by the machine's clock. */
export interface Sent {
  readonly pid: number;
  readonly url: string;
  readonly from: number;
  readonly to: number;
}

export interface MemberOptions {
  readonly role: 'api' | 'worker';
  readonly env: Readonly<Record<string, string>>;
  /** The command that starts it, such as `ip netns exec`. @default none */
  readonly starter?: readonly string[];
  /** Called when SIGKILL ends it and nobody here sent it: a death at a fail-point. @default that fails it */
  readonly onDeath?: () => void;
}

/** From this moment on the process no longer owned the work that it had begun and not settled. */
export interface Death {
  readonly pid: number;
  readonly at: number;
  /** The moment until which it continued to fetch, since it could not know. @default at */
  until?: number;
}

const module = path.join(import.meta.dirname, 'short-lease.ts');
/** The log line of a process that was considered dead, or that stopped since it could not renew its lease. */
const lostLife = 'lost its leases';
const alone = 'request tried alone';
const nextToOthers = 'request tried next to others';

export class Member {
  readonly #options: MemberOptions;
  readonly deaths: Death[] = [];
  readonly sent: Sent[] = [];
  /** Requests that it tried alone, and as suspects next to others, if it reports them. */
  triedAlone = 0;
  triedNextToOthers = 0;
  /** Rejects if it ends without a stop. */
  readonly failed: Promise<never>;
  readonly #fail: (error: Error) => void;
  #child: ChildProcess | undefined;
  /** Resolves once the process has said that it runs, or has ended. Before that, SIGTERM ends it as SIGKILL does. */
  #begun: Promise<unknown> = Promise.resolve();
  #said = '';
  #isClosed = false;

  constructor(options: MemberOptions) {
    this.#options = options;
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    this.#fail = reject;
    promise.catch(() => {});
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Its last output. */
  get said(): string {
    return this.#said.slice(-4_000);
  }

  start(): void {
    if (this.#isClosed || this.#child) return;
    const { role, env, starter = [] } = this.#options;
    const [command, ...args] = [...starter, process.execPath, '--disable-warning=ExperimentalWarning', module, role];
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HAYRAKE_'));
    const child = spawn(command, args, {
      env: { ...Object.fromEntries(inherited), HAYRAKE_TOKEN: operatorToken, HAYRAKE_LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#begun = Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    child.stdout.resume();
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.startsWith(`${sentMark} `)) {
        this.#noteSent(child, line);
        return;
      }
      this.#said = `${this.#said}${line}\n`.slice(-20_000);
      if (line.includes(lostLife)) this.#noteDeath(child);
      if (line.includes(alone)) this.triedAlone++;
      if (line.includes(nextToOthers)) this.triedNextToOthers++;
    });
    child.on('exit', (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (signal === 'SIGKILL' && this.#options.onDeath) {
        this.#noteDeath(child);
        this.#options.onDeath();
        return;
      }
      this.#fail(new Error(`a process (${role}) ended with ${signal ?? code} and was not asked to:\n${this.said}`));
    });
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops it in order. Resolves with the exit code. */
  async end(): Promise<number | null> {
    await this.#begun;
    return this.#end('SIGTERM');
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end('SIGKILL');
  }

  pause(): void {
    if (this.#child) this.#noteDeath(this.#child);
    this.#child?.kill('SIGSTOP');
  }

  /** Cuts it off from the database; returns a function that reconnects it. */
  cutOff(): () => void {
    const { pid = 0 } = this.#child ?? {};
    const death: Death = { pid, at: machineNow(), until: Number.POSITIVE_INFINITY };
    this.deaths.push(death);
    return () => void (death.until = machineNow());
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (!child) return null;
    this.#child = undefined;
    this.#noteDeath(child);
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  }

  #noteSent({ pid = 0 }: ChildProcess, line: string): void {
    const [, origin, path, from, to] = line.split(' ');
    this.sent.push({ pid, url: `${origin}${path}`, from: Number(from) / 1e6, to: Number(to) / 1e6 });
  }

  #noteDeath({ pid = 0 }: ChildProcess): void {
    this.deaths.push({ pid, at: machineNow() });
  }
}

const responseMs = 90_000;
const patienceMs = 90_000;
const pauseMs = 200;

/** Repeats the request while the API does not respond, or the database cannot be used. */
export class PatientClient {
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The response of the call, however long that takes. The call must be repeatable. */
  async persist<Answer>(call: (to: PatientClient) => Promise<Answer>): Promise<Answer> {
    return call(this);
  }

  async ok<Answer>(urlPath: string, init: { readonly json?: unknown; readonly key?: string } = {}): Promise<Answer> {
    const { json, key } = init;
    const until = performance.now() + patienceMs;
    for (;;) {
      const response = await fetch(`${this.#origin}${urlPath}`, {
        headers: {
          authorization: `Bearer ${operatorToken}`,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
        signal: AbortSignal.timeout(responseMs),
      })
        .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
        .catch((error: unknown) => ({ status: 0, text: String(error) }));
      if (response.status === 200) return JSON.parse(response.text) as Answer;
      const isPassing = response.status === 0 || response.status === 503;
      if (!isPassing || performance.now() > until) {
        throw new Error(`${urlPath} answered ${response.status}: ${response.text}`);
      }
      await sleep(pauseMs);
    }
  }

  job(id: string): Promise<JobAnswer> {
    return this.ok(`/crawler/jobs/${id}`);
  }
}
