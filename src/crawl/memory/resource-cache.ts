// Scripts and style sheets of rendered pages: the pages of a site share them, so each is fetched once per job.
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Resource } from '../../core/ports/renderer.ts';

/** For all jobs together. */
const heldBytesMax = 64 * 2 ** 20;
const keptMs = 600_000;
/** What a resource takes in addition to its body. */
const resourceBytes = 2_000;

interface Held {
  readonly resource: Resource;
  readonly goodUntil: number;
}

/** The least recently used are forgotten first. */
export class ResourceCache {
  readonly #held = new Map<string, Held>();
  readonly #bytesMax: number;
  #bytes = 0;

  /** `bytesMax`: @default 64 MiB */
  /** `bytes`: what there is for it; it takes less. */
  constructor(bytes = heldBytesMax) {
    this.#bytesMax = Math.min(heldBytesMax, bytes);
  }

  get(key: string): Resource | undefined {
    const held = this.#held.get(key);
    if (!held) return undefined;
    this.#forget(key, held);
    if (held.goodUntil < monotonicNow()) return undefined;
    this.#keep(key, held);
    return held.resource;
  }

  /** Keeps what the site allows: a 200 without cookies that is neither `no-store` nor `private`. */
  keep(key: string, resource: Resource): void {
    if (resource.statusCode !== 200 || !isStorable(resource)) return;
    const known = this.#held.get(key);
    if (known) this.#forget(key, known);
    this.#keep(key, { resource, goodUntil: monotonicNow() + keptMs });
    for (const [oldest, held] of this.#held) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#forget(oldest, held);
    }
  }

  #keep(key: string, held: Held): void {
    this.#held.set(key, held);
    this.#bytes += held.resource.body.length + resourceBytes;
  }

  #forget(key: string, held: Held): void {
    this.#held.delete(key);
    this.#bytes -= held.resource.body.length + resourceBytes;
  }
}

function isStorable({ headers }: Resource): boolean {
  return !headers.some(
    ([name, value]) => name === 'set-cookie' || (name === 'cache-control' && /no-store|private/iu.test(value)),
  );
}
