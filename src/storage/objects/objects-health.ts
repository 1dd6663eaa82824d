// Whether the object store can be used at the moment, for `/readyz`.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ObjectStore, ObjectStoreError, type ObjectStoreProblem } from '../../core/ports/object-store.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { ownerObject } from './owner.ts';

/** Anybody can ask for `/readyz`, and a request can cost money. */
const keptMs = 5_000;
/** A load balancer waits no longer. */
const patienceMs = 2_000;

export class ObjectsHealth {
  readonly #objects: Pick<ObjectStore, 'get'>;
  #asking: Promise<ObjectStoreProblem | undefined> | undefined;
  #known: { readonly problem: ObjectStoreProblem | undefined; readonly at: number } | undefined;

  constructor(objects: Pick<ObjectStore, 'get'>) {
    this.#objects = objects;
  }

  /** Reads a small object, at most every 5 s. One that takes longer than 2 s counts as away. */
  async problem(): Promise<ObjectStoreProblem | undefined> {
    if (this.#known && monotonicNow() - this.#known.at < keptMs) return this.#known.problem;
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    const patience = new AbortController();
    const late = sleep(patienceMs, 'away' as const, { signal: patience.signal, ref: false }).catch(
      () => 'away' as const,
    );
    try {
      return await Promise.race([this.#asking, late]);
    } finally {
      patience.abort();
    }
  }

  async #ask(): Promise<ObjectStoreProblem | undefined> {
    const problem = await this.#objects.get(ownerObject).then(
      () => undefined,
      (error: unknown) => (error instanceof ObjectStoreError ? error.kind : 'away'),
    );
    this.#known = { problem, at: monotonicNow() };
    return problem;
  }
}
