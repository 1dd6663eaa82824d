// Which of our functions an input has run in a way that none before it did: V8's own counters, read over the inspector's
// protocol. A way is the set of blocks of the function that did not run.
import { Session } from 'node:inspector/promises';

const ours = '/src/';
/** Ways of one function: a long one has so many that they say nothing any more. */
const waysMax = 100;

export class Coverage {
  readonly #session = new Session();
  readonly #ways = new Map<string, Set<string>>();
  #count = 0;

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** New ways since the last call. */
  async newWays(): Promise<number> {
    // Each reading sets the counters to zero.
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const before = this.#count;
    for (const { url, functions } of result) {
      if (!url.includes(ours)) continue;
      for (const { ranges } of functions) {
        const [whole, ...blocks] = ranges;
        if (!whole || whole.count === 0) continue;
        const left = blocks.filter(({ count }) => count === 0);
        this.#note(`${url}:${whole.startOffset}`, left.map(({ startOffset }) => startOffset).join(' '));
      }
    }
    return this.#count - before;
  }

  #note(of: string, way: string): void {
    const ways = this.#ways.get(of) ?? new Set();
    if (ways.has(way) || ways.size >= waysMax) return;
    this.#ways.set(of, ways.add(way));
    this.#count++;
  }

  get ways(): number {
    return this.#count;
  }
}
