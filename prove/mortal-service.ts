// A service that dies and is started again, and a client that tolerates this: it repeats requests without a response.
import { TestService } from '../test/service/start-service.ts';

export interface MortalOptions {
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
}

const killAt = new URL('kill-at.ts', import.meta.url).href;

export class MortalService {
  readonly #env: Record<string, string | undefined>;
  readonly service: TestService;
  /** Fail-points still to die at, one per life: `NAME:N`. */
  readonly #deathsToCome: string[];
  /** Fail-points at which it died. */
  readonly deaths: string[] = [];
  /** Time from each start after a death to the first API response, in milliseconds. */
  readonly recoveries: number[] = [];
  #rebirth: Promise<void> | undefined;

  constructor({ directory, env }: MortalOptions, deathsToCome: readonly string[] = []) {
    this.#deathsToCome = [...deathsToCome];
    this.#env = { ...env, NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${killAt}` };
    this.service = new TestService(directory, { env: this.#env, directory });
  }

  /** Starts the service, with as many attempts as necessary. */
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

  /**
   * Sends SIGTERM; starts the service again if it dies instead of stopping. Resolves with the exit code of an orderly
   * end.
   */
  async stop(): Promise<number | null> {
    const code = await this.service.stop();
    if (code !== null) return code;
    await this.#diedAsPlanned();
    await this.start();
    return this.stop();
  }

  /** Sends SIGKILL and starts a new life. */
  async kill(): Promise<void> {
    await this.service.kill();
    await this.start();
  }

  /** The response of the call, from any life. The call must be repeatable; several can wait for the next life. */
  async persist<Answer>(call: (service: TestService) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const { exited } = this.service;
      try {
        return await call(this.service);
      } catch (error) {
        if (!isBroken(error)) throw error;
        // If the other side has no process, wait for one.
        await exited;
        if (this.service.exited !== exited) continue;
        this.#rebirth ??= this.#beBornAgain(error).finally(() => (this.#rebirth = undefined));
        await this.#rebirth;
      }
    }
  }

  async #beBornAgain(error: unknown): Promise<void> {
    if (!(await this.#diedAsPlanned()))
      throw new Error(`the service ended with exit code ${await this.service.exited}: ${this.service.stderr}`, {
        cause: error,
      });
    await this.start();
  }

  /** Whether the process of this life died at its fail-point. */
  async #diedAsPlanned(): Promise<boolean> {
    const planned = this.#deathsToCome[0];
    if (planned === undefined || (await this.service.exited) !== null) return false;
    this.deaths.push(planned);
    this.#deathsToCome.shift();
    return true;
  }
}

/** The connection broke or could not be made: `fetch` wraps the cause. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === 'AbortError');
}
