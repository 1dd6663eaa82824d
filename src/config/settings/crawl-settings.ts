// The pace of a crawl, and what it may take of the machine.
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';
import { outputExpiryRange } from '../../core/output-expiry.ts';
import { memoryMbMin } from '../memory-plan.ts';
import { choice, notEmpty, number, wholeNumber, type SettingRows } from './parse.ts';

const memoryMbMax = Math.max(memoryMbMin, Math.floor(memoryBytes() / 2 ** 20));

export const crawlSettings = {
  concurrency: {
    ...number(1, 1_000),
    default: '64',
    description:
      'Maximum number of requests in flight, over all hosts, 1 to 1000; fewer if the process may not open that many files.',
  },
  hostConcurrency: {
    ...number(1, 1_000),
    default: '8',
    description:
      'Maximum number of requests in flight to one host (a name and a port; names of one domain on one address count as one), over all jobs, 1 to 1000. A crawl starts with two and rises to this limit while the host responds quickly.',
  },
  hostDelayMs: {
    ...number(0, 3_600_000, 'MS'),
    default: '0',
    description:
      'Minimum delay in milliseconds between the starts of two requests to one host, 0 to 3600000. A longer `Crawl-delay` of the site prevails.',
  },
  /** Null: until they are deleted. */
  outputExpirySeconds: {
    env: 'HAYRAKE_OUTPUT_EXPIRY',
    flag: 'output-expiry',
    placeholder: 'S',
    default: 'never',
    description:
      'How long the results of a job are kept after its end, without `output_expiry`: seconds, 60 to 315360000, or `never`.',
    parse: (text) => (text === 'never' ? null : wholeNumber(text, outputExpiryRange.min, outputExpiryRange.max)),
  },
  unreachableSeconds: {
    ...number(1, 86_400, 'S'),
    default: '900',
    description:
      'Seconds for which a host is retried if it or its robots.txt does not respond any more, before its URLs fail, 1 to 86400. `unreachable_seconds` of a job is for hosts that have never responded.',
  },
  memoryMb: {
    placeholder: 'MIB',
    default: String(memoryMbMax),
    description:
      'MiB that the process and its browser may use, 256 to what the container or machine has. Converter threads, their heaps, buffers, caches and pages in the browser follow from it (docs/limits.md). The system does not enforce it: give the container the same limit.',
    parse: (text) => {
      const mb = wholeNumber(text, 1, 99_999_999);
      if (mb < memoryMbMin)
        throw new Error(`write ${memoryMbMin} or more, and give the container as much: a crawl needs it.`);
      if (mb > memoryMbMax)
        throw new Error(`the process has ${memoryMbMax} MiB. Write no more, or give the container or machine more.`);
      return mb;
    },
  },
  converterThreads: {
    ...number(1, 64),
    default: String(Math.min(8, availableParallelism())),
    description:
      'Threads that convert pages, 1 to 64. The first starts with the first page, each further one when a page has waited half a second, or a scrape would wait. Each takes 60 to 130 MB with ordinary pages.',
  },
  browser: {
    flag: 'browser-binary',
    placeholder: 'PATH',
    default: 'auto',
    description:
      'Browser for pages that need one (docs/browser.md): `auto` looks for chromium-headless-shell, Chromium and Chrome; `off` uses none; anything else is the path of a binary, not of a script.',
    parse: browser,
  },
  browserSandbox: {
    ...choice(['require', 'off']),
    default: 'require',
    description:
      'Isolation of the browser: `require` runs it only in a network namespace and with its own sandbox, `off` without both (docs/browser.md has the risk).',
  },
  browserPages: {
    ...number(1, 64),
    default: String(availableParallelism() + 1),
    description: 'Pages open in the browser at a time, 1 to 64, with 50 to 100 MB each.',
  },
  diskFreeMb: {
    ...number(0, 999_999, 'MIB'),
    default: '256',
    description:
      'MiB of the disk to keep free, 0 to 999999. With less, the crawl pauses and new jobs are refused, until a tenth more is free. 0 disables the check.',
  },
} satisfies SettingRows;

function browser(text: string): string {
  const given = notEmpty(text);
  if (given === 'auto' || given === 'off' || path.isAbsolute(given)) return given;
  throw new Error('write auto, off, or the absolute path of a Chromium binary.');
}

/** Memory available to the process: that of its container, else of the machine. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  // Without a limit some systems report zero, others 2^64.
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}
