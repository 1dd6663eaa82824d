// Time as a browser has it: it runs slower while the browser waits for a processor. All time limits of the browser use
// it, so a page is not cut off, and a browser not taken for dead, because the machine is busy with other work.
import { processorUseOf, type ProcessorUse, processTree } from './process-tree.ts';

const sampleMs = 1_000;
/** Time never runs slower than this: a limit of 15 s ends after 5 minutes on any machine. */
const shareMin = 0.05;
/** Shortest timer, in milliseconds. */
const stepMin = 50;

/**
 * Measures which share of the processor time that a browser wanted it got, once per second, from how long its threads
 * ran and how long they waited. A browser that wants none, or is stopped, has ordinary time. So has one on a system
 * that does not report this.
 */
export class BrowserTime {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #uses = new Map<number, ProcessorUse>();
  #sampledAt = performance.now();
  #nowMs = 0;
  #share = 1;

  /** @param pid the first process of the browser */
  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#sample(), sampleMs);
    this.#timer.unref();
  }

  /** Milliseconds since the start. */
  now(): number {
    return this.#nowMs + (performance.now() - this.#sampledAt) * this.#share;
  }

  /** Calls `then` after so many milliseconds of this time. Returns a function that cancels it. */
  after(ms: number, then: () => void): () => void {
    const endsAt = this.now() + ms;
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      timer = setTimeout(() => {
        this.#sample();
        const stillMs = endsAt - this.now();
        if (stillMs <= 0) then();
        else wait(Math.max(stillMs, stepMin));
      }, leftMs);
    };
    wait(ms);
    return () => clearTimeout(timer);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const sampledAt = performance.now();
    const passedMs = sampledAt - this.#sampledAt;
    if (passedMs < stepMin) return;
    const uses = processorUseOf(processTree(this.#pid));
    this.#share = Math.max(shareMin, shareBetween(this.#uses, uses));
    this.#nowMs += passedMs * this.#share;
    this.#sampledAt = sampledAt;
    this.#uses = uses;
  }
}

/** The share of the wanted processor time that threads got between two samples; 1 if they wanted none. */
export function shareBetween(
  before: ReadonlyMap<number, ProcessorUse>,
  after: ReadonlyMap<number, ProcessorUse>,
): number {
  let ranMs = 0;
  let waitedMs = 0;
  for (const [thread, use] of after) {
    const { ranMs: ran, waitedMs: waited } = before.get(thread) ?? { ranMs: 0, waitedMs: 0 };
    ranMs += Math.max(0, use.ranMs - ran);
    waitedMs += Math.max(0, use.waitedMs - waited);
  }
  const wantedMs = ranMs + waitedMs;
  return wantedMs === 0 ? 1 : ranMs / wantedMs;
}
