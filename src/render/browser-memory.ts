// Keeps the memory of all browsers of this process within 1,024 MiB, by the best means that the system has: a control
// group, in which the kernel kills a process at the limit; otherwise a limit per process, and a look at all of them.
import { readFileSync } from 'node:fs';
import type { MemoryHold } from '../core/ports/renderer.ts';
import { type BrowserGroup, openBrowserGroup } from './browser-group.ts';
import { fileBytesOf, isRenderer, privateBytesOf, processTree } from './process-tree.ts';

/** Bytes of all processes of all browsers. */
const memoryMax = 1_024 * 2 ** 20;
/** Without a group, a process is killed at this sum. It leaves room for what pages take until the next look. */
const lookedAtMax = 896 * 2 ** 20;
/** A browser with more is replaced when its pages have ended. */
const retiredAt = 768 * 2 ** 20;
/**
 * Bytes of memory that a process without a group may write to (RLIMIT_DATA), used or not: a renderer reserves 250 MiB
 * that it does not use. V8 makes its reserves smaller by this limit. The limit for all addresses (RLIMIT_AS) is no
 * choice: V8 reserves terabytes.
 */
const processDataMax = 1_280 * 2 ** 20;
/** At 20 ms, pages took at most 60 MiB until the next look. In a group the look only counts. */
const lookMs = { group: 1_000, ordinary: 100, near: 20 } as const;
const nearShare = 0.5;
/**
 * Added to the score by which the kernel chooses a process if memory is short. Chromium gives its renderers 300, so they
 * still come first.
 */
const scoreMore = 100;
const scoreMax = 1_000;

/** A browser as its memory is looked at. */
export interface Watched {
  /** Its first process. */
  readonly pid: number;
  /** Its `/tmp` is its own, and in memory. */
  readonly isConfined: boolean;
  readonly ended: Promise<unknown>;
  /** It takes no more pages. */
  retire(): void;
  kill(): Promise<void>;
}

interface Piece {
  readonly bytes: number;
  readonly browser: Watched;
  /** Absent: files of the browser, which are in memory and end with it. */
  readonly pid?: number;
}

/**
 * Returns the best means of this system. To be closed when all browsers have ended. `bytes`: what there is for them; they
 * take less.
 */
export async function openBrowserMemory(bytes = memoryMax): Promise<BrowserMemory> {
  const max = Math.min(memoryMax, bytes);
  return new BrowserMemory(process.platform === 'linux' ? await openBrowserGroup(max) : undefined, max);
}

export class BrowserMemory {
  readonly #group: BrowserGroup | undefined;
  readonly #lookedAtMax: number;
  readonly #retiredAt: number;
  /** The bytes that each had at the last look. */
  readonly #watched = new Map<Watched, number>();
  /** Processes that were killed and have not ended yet. */
  readonly #dying = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param group absent: limits of processes, and the look */
  constructor(group: BrowserGroup | undefined, bytesMax = memoryMax) {
    this.#group = group;
    this.#lookedAtMax = (lookedAtMax * bytesMax) / memoryMax;
    this.#retiredAt = (retiredAt * bytesMax) / memoryMax;
  }

  get hold(): MemoryHold {
    if (this.#group === undefined) return 'process limits';
    return this.#group.version === 2 ? 'cgroup v2' : 'cgroup v1';
  }

  /** Memory of all browsers at the last look, without what is mapped from programs. */
  get bytes(): number {
    return [...this.#watched.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** How many processes the kernel has killed at the limit of the group. */
  get kills(): number {
    return this.#group?.kills() ?? 0;
  }

  /** The command that starts the browser within the limits: a shell enters them, and becomes the browser. */
  within(command: string, args: readonly string[]): readonly [command: string, args: readonly string[]] {
    if (process.platform !== 'linux') return [command, args];
    const score = Math.min(scoreMax, Number(readFileSync('/proc/self/oom_score_adj', 'utf8')) + scoreMore);
    const [enter, limit] =
      this.#group === undefined
        ? // It fails only if a lower limit holds already.
          ['ulimit -d "$0" 2>/dev/null', String(processDataMax / 1_024)]
        : ['echo $$ >"$0" || exit', this.#group.processesFile];
    return ['/bin/sh', ['-c', `${enter}; echo ${score} >/proc/self/oom_score_adj; exec "$@"`, limit, command, ...args]];
  }

  /** Looks at the browser until it ends. */
  watch(browser: Watched): void {
    this.#watched.set(browser, 0);
    void browser.ended.then(() => this.#watched.delete(browser));
    if (this.#timer === undefined) this.#look();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#group?.remove();
  }

  #look(): void {
    if (this.#watched.size === 0) {
      this.#timer = undefined;
      return;
    }
    const pieces = [...this.#watched.keys()].flatMap(piecesOf);
    for (const browser of this.#watched.keys()) {
      const bytes = sum(pieces.filter((piece) => piece.browser === browser));
      this.#watched.set(browser, bytes);
      if (bytes > this.#retiredAt) browser.retire();
    }
    const isNear = this.#group === undefined && this.#keepWithin(pieces);
    const ms = this.#group ? lookMs.group : lookMs[isNear ? 'near' : 'ordinary'];
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  /** Kills the largest process if there is too much. Returns true if the sum is near the limit. */
  #keepWithin(pieces: readonly Piece[]): boolean {
    const pids = new Set(pieces.map(({ pid }) => pid));
    for (const pid of this.#dying) if (!pids.has(pid)) this.#dying.delete(pid);
    const living = pieces.filter(({ pid }) => pid === undefined || !this.#dying.has(pid));
    const bytes = sum(living);
    if (bytes > this.#lookedAtMax) this.#killOne(living);
    return bytes > this.#lookedAtMax * nearShare;
  }

  /** A renderer, unless another process is much larger: that is killed with its browser. */
  #killOne(living: readonly Piece[]): void {
    const [largest, ...others] = living.toSorted((a, b) => b.bytes - a.bytes);
    if (largest === undefined) return;
    const renderer = [largest, ...others].find(({ pid }) => pid !== undefined && isRenderer(pid));
    if (renderer?.pid === undefined || renderer.bytes * 2 < largest.bytes) {
      void largest.browser.kill();
      return;
    }
    this.#dying.add(renderer.pid);
    end(renderer.pid);
  }
}

/** Its processes, and its files: among these is the memory that its processes share. */
function piecesOf(browser: Watched): Piece[] {
  const pids = processTree(browser.pid);
  const pieces: Piece[] = pids.map((pid) => ({ browser, pid, bytes: privateBytesOf(pid) }));
  // The first process is `bwrap` outside, the second one is inside.
  const [, inside] = pids;
  if (browser.isConfined && inside !== undefined) pieces.push({ browser, bytes: fileBytesOf(inside) });
  return pieces;
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((total, { bytes }) => total + bytes, 0);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
