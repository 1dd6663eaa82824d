// A service that dies and is started again, and a client that does not mind: it repeats what was not answered.
import { TestService } from '../test/service/start-service.ts';

export interface MortalOptions {
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
}

const killAt = new URL('kill-at.ts', import.meta.url).href;

export class MortalService {
  readonly #env: Record<string, string | undefined>;
  readonly service: TestService;
  /** Fail-points that are still to be died at, one a life: `NAME:N`. */
  readonly #deathsToCome: string[];
  /** Fail-points that were died at. */
  readonly deaths: string[] = [];
  /** How long each start took after a death, until the API answered, in milliseconds. */
  readonly recoveries: number[] = [];

  constructor({ directory, env }: MortalOptions, deathsToCome: readonly string[] = []) {
    this.#deathsToCome = [...deathsToCome];
    this.#env = { ...env, NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${killAt}` };
    this.service = new TestService(directory, { env: this.#env, directory });
  }

  /** Starts it, as often as that takes. */
  async start(): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      this.#env['KILL_AT'] = this.#deathsToCome[0];
      try {
        await this.service.start();
        this.recoveries.push(performance.now() - startedAt);
        return;
      } catch (error) {
        if (!(await this.#diedAsPlanned())) throw error;
      }
    }
  }

  /** SIGTERM; starts it again if it dies instead of stopping. Resolves with the exit code of an orderly end. */
  async stop(): Promise<number | null> {
    const code = await this.service.stop();
    if (code !== null) return code;
    await this.#diedAsPlanned();
    await this.start();
    return this.stop();
  }

  /** SIGKILL, and a new life. */
  async kill(): Promise<void> {
    await this.service.kill();
    await this.start();
  }

  /** What the call answers, from whichever life. It has to be one that may be repeated. */
  async persist<Answer>(call: (service: TestService) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await call(this.service);
      } catch (error) {
        if (!isBroken(error)) throw error;
        // Whoever has no process on the other side has to wait for one.
        await this.service.exited;
        if (!(await this.#diedAsPlanned())) throw error;
        await this.start();
      }
    }
  }

  /** Whether the process of this life died at the fail-point that was set for it. */
  async #diedAsPlanned(): Promise<boolean> {
    const planned = this.#deathsToCome[0];
    if (planned === undefined || (await this.service.exited) !== null) return false;
    this.deaths.push(planned);
    this.#deathsToCome.shift();
    return true;
  }
}

/** The connection broke, or there was none: `fetch` wraps what happened. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === 'AbortError');
}
