// What the parts of a process may take of its memory: one number, from which all others follow.

import { browserNeedsMb } from '../core/ports/renderer.ts';

/** With less, a process crawls nothing worth a start. */
export const memoryMbMin = 256;

/** Memory of one thread, heap and everything else, in MiB. */
const converterMbMax = 512;
/** The same while other threads also read files. A file that needs more is read when no other such file is. */
const converterSharedMbMax = 128;
/** The share of memory for one thread, and for all threads together that read files at the same time. */
const converterShare = 0.4;
/** The program with its database threads, before it converts a page. */
const programMb = 128;
/** What a thread takes with ordinary pages. */
const threadMb = 128;
const threadsMax = 8;
/** What V8 takes of a thread's memory for garbage before it collects; half of it where memory is scarce. */
const youngMbMax = 24;
const youngNeedsMb = 1_024;
/** For all processes of the browser. */
const browserMbMax = 1_024;
/** A page takes 50 to 100 MB. */
const browserPageMb = 100;
/**
 * Limit for all bodies together that are not small, from the first byte to the end of their conversion. One body can
 * exceed it, up to its own limit.
 */
const bodiesBytesMax = 32 * 2 ** 20;
const bodiesShare = 1 / 16;
const waitingShare = 1 / 16;
const cacheShare = 1 / 32;

export interface MemoryInput {
  /** MiB of the process with its browser. */
  readonly memoryMb: number;
  readonly usesBrowser: boolean;
  readonly processors: number;
  /** If the operator has set it. */
  readonly converterThreads?: number;
}

export interface MemoryPlan {
  /** For all processes of the browser. Zero: it is not used. */
  readonly browserMb: number;
  readonly browserPages: number;
  /** For the process itself. */
  readonly ownMb: number;
  readonly converterThreads: number;
  /** For one thread, and for one that reads a file while others do. */
  readonly converterMb: number;
  readonly converterSharedMb: number;
  readonly converterYoungMb: number;
  /** Larger bodies in memory together. */
  readonly bodiesBytes: number;
  /** Screenshots and raw bodies that wait for the store. */
  readonly waitingBytes: number;
  /** Each of the caches: rules of robots.txt, cookies, scripts and styles. */
  readonly cacheBytes: number;
}

/**
 * The browser gets half, at most 1 GiB. Conversions take at most 40 % of the rest: one large file, and small ones on all
 * other threads. Buffers and caches take at most a quarter of it.
 */
export function memoryPlan(input: MemoryInput): MemoryPlan {
  const { memoryMb, usesBrowser, processors } = input;
  const browserMb = usesBrowser && memoryMb >= browserNeedsMb ? Math.min(browserMbMax, Math.floor(memoryMb / 2)) : 0;
  const ownMb = memoryMb - browserMb;
  const affordable = Math.max(1, Math.floor((ownMb - programMb) / threadMb));
  const converterThreads = input.converterThreads ?? Math.min(threadsMax, processors, affordable);
  const converterMb = Math.floor(Math.min(converterMbMax, ownMb * converterShare));
  const shared = Math.min(converterSharedMbMax, (ownMb * converterShare) / converterThreads);
  const ownBytes = ownMb * 2 ** 20;
  return {
    browserMb,
    browserPages: Math.max(1, Math.min(processors + 1, Math.floor(browserMb / browserPageMb))),
    ownMb,
    converterThreads,
    converterMb,
    converterSharedMb: Math.floor(Math.min(converterMb, shared)),
    converterYoungMb: ownMb < youngNeedsMb ? youngMbMax / 2 : youngMbMax,
    bodiesBytes: Math.min(bodiesBytesMax, Math.floor(ownBytes * bodiesShare)),
    waitingBytes: Math.floor(ownBytes * waitingShare),
    cacheBytes: Math.floor(ownBytes * cacheShare),
  };
}
