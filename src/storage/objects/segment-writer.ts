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
import type { ObjectsClaim } from './claim.ts';

/** How long the first part of an object waits for others, while no other PUT is under way. */
const joinMs = 100;
const objectBytesMax = 8 * 2 ** 20;
const [pauseMs, pauseMaxMs] = [200, 5_000];

export interface SegmentWriterParts {
  readonly objects: ObjectStore;
  readonly rows: Pick<SegmentObjects, 'register' | 'areAlive'>;
  readonly log: Log | undefined;
  /** Nothing is stored before it is done. */
  readonly claim?: Pick<ObjectsClaim, 'done'> | undefined;
}

export interface Part {
  readonly bytes: Uint8Array;
  readonly jobId: string;
}

interface Waiting extends Part {
  readonly resolve: (place: SegmentPlace | undefined) => void;
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

  /**
   * Where the parts are, once they are stored; undefined for those of a job whose results are gone. While the store is
   * away, this waits for it.
   */
  place(parts: readonly Part[]): Promise<readonly (SegmentPlace | undefined)[]> {
    const places = parts.map(
      ({ bytes, jobId }) =>
        new Promise<SegmentPlace | undefined>((resolve, reject) =>
          this.#waiting.push({ bytes, jobId, resolve, reject }),
        ),
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
        await this.#parts.claim?.done;
        for (let left = group; left.length > 0;) left = await this.#store(left);
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

  /** Returns those that have to be stored without the others. */
  async #store(group: readonly Waiting[]): Promise<readonly Waiting[]> {
    const { objects, rows } = this.#parts;
    const name = newObjectName();
    const bytes = joined(group.map((one) => one.bytes));
    const gone = new Set(await rows.register(name, bytes.length, [...new Set(group.map(({ jobId }) => jobId))]));
    if (gone.size > 0) {
      for (const { jobId, resolve } of group) if (gone.has(jobId)) resolve(undefined);
      return group.filter(({ jobId }) => !gone.has(jobId));
    }
    failPoint('object.registered');
    await this.#whenPossible(() => objects.put(name, bytes));
    failPoint('object.stored');
    // A job was deleted meanwhile: the sweep can have deleted the object before it was there.
    if (!(await rows.areAlive([name]))) {
      await this.#whenPossible(() => objects.delete([name]));
      return group;
    }
    let at = 0;
    for (const one of group) {
      one.resolve({ object: name, at, size: one.bytes.length });
      at += one.bytes.length;
    }
    return [];
  }

  /** An engine that cannot store what it fetched must not fetch on, as with a full disk. */
  async #whenPossible(request: () => Promise<void>): Promise<void> {
    const { log } = this.#parts;
    const { signal } = this.#ended;
    let awaySince: number | undefined;
    for (let pause = pauseMs; ; pause = Math.min(pauseMaxMs, 2 * pause)) {
      try {
        await request();
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
