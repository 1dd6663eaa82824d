// Stores segments and screenshots as objects before the commit that names them. Those of all lanes share objects, so that
// many pages cost one PUT.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { SegmentPlace } from '../../core/ports/blobs.ts';
import type { Log } from '../../core/ports/log.ts';
import {
  type ObjectStore,
  ObjectStoreError,
  type ObjectStoreProblem,
  type SegmentObjects,
} from '../../core/ports/object-store.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';

/** How long the first part of an object waits for others, while no other PUT is under way. */
const joinMs = 100;
const objectBytesMax = 8 * 2 ** 20;
const [pauseMs, pauseMaxMs] = [200, 5_000];

export interface SegmentWriterParts {
  readonly objects: ObjectStore;
  readonly rows: Pick<SegmentObjects, 'register'>;
  readonly log: Log | undefined;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly resolve: (place: SegmentPlace) => void;
  readonly reject: (error: unknown) => void;
}

/** States: idle; joining (parts wait for others); storing (a PUT is under way, and further parts wait for its end). */
export class SegmentWriter {
  readonly #parts: SegmentWriterParts;
  readonly #ended = new AbortController();
  #waiting: Waiting[] = [];
  #isRunning = false;
  #problem: ObjectStoreProblem | undefined;

  constructor(parts: SegmentWriterParts) {
    this.#parts = parts;
  }

  /** Where the parts are, once they are stored. While the store is away, this waits for it. */
  place(parts: readonly Uint8Array[]): Promise<readonly SegmentPlace[]> {
    const places = parts.map(
      (bytes) => new Promise<SegmentPlace>((resolve, reject) => this.#waiting.push({ bytes, resolve, reject })),
    );
    if (!this.#isRunning) void this.#run();
    return Promise.all(places);
  }

  /** Why parts wait to be stored; undefined if none does. */
  get problem(): ObjectStoreProblem | undefined {
    return this.#problem;
  }

  /** Rejects what waits. */
  stopWaiting(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await sleep(joinMs, undefined, { signal: this.#ended.signal }).catch(() => {});
      const group = this.#next();
      try {
        const name = await this.#store(group.map(({ bytes }) => bytes));
        let at = 0;
        for (const { resolve, bytes } of group) {
          resolve({ object: name, at, size: bytes.length });
          at += bytes.length;
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
  }

  #next(): readonly Waiting[] {
    let bytes = 0;
    const past = this.#waiting.findIndex((one, index) => (bytes += one.bytes.length) > objectBytesMax && index > 0);
    return this.#waiting.splice(0, past === -1 ? this.#waiting.length : past);
  }

  /** Returns the name of their object. */
  async #store(parts: readonly Uint8Array[]): Promise<string> {
    const name = newObjectName();
    const bytes = joined(parts);
    await this.#parts.rows.register(name, bytes.length);
    failPoint('object.registered');
    await this.#putWhenPossible(name, bytes);
    failPoint('object.stored');
    return name;
  }

  /** An engine that cannot store what it fetched must not fetch on, as with a full disk. */
  async #putWhenPossible(name: string, bytes: Uint8Array): Promise<void> {
    const { objects, log } = this.#parts;
    const { signal } = this.#ended;
    let awaySince: number | undefined;
    for (let pause = pauseMs; ; pause = Math.min(pauseMaxMs, 2 * pause)) {
      try {
        // mutant unacknowledged-object, promise 3: `await objects.put(name, bytes)` -> `void objects.put(name, bytes).catch(() => {})`; objects/crawl "loses no page"
        await objects.put(name, bytes);
        if (awaySince !== undefined)
          log?.warn('storing raw bodies and screenshots resumes', {
            seconds: Math.round((monotonicNow() - awaySince) / 1000),
          });
        this.#problem = undefined;
        return;
      } catch (error) {
        this.#problem = error instanceof ObjectStoreError ? error.kind : 'away';
        const message = error instanceof Error ? error.message : String(error);
        if (signal.aborted) throw new ExitError(exitCodes.storageFailed, message, 'unavailable');
        if (awaySince === undefined) {
          awaySince = monotonicNow();
          log?.error(
            'crawls that store raw bodies or screenshots pause, and resume as soon as the object store takes them',
            {
              error: message,
            },
          );
        }
      }
      await sleep(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
    }
  }
}

/** In the order of time, and never used twice. */
export function newObjectName(): string {
  return `${segmentsFolder}${Date.now().toString(36)}-${randomBytes(10).toString('hex')}`;
}

export const segmentsFolder = 'segments/';

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}
