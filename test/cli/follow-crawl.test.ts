// What a crawl shows once it has ended and its pages are still being written.
import { afterEach, expect, test, vi } from 'vitest';
import type { Hayrake, Job, Page } from '../../packages/client/index.ts';
import { type Crawler, followCrawl } from '../../src/cli/follow-crawl.ts';
import type { Program } from '../../src/cli/program.ts';
import { newDirectory, removeDirectories } from './program.ts';

afterEach(removeDirectories);

const total = 3;
const job = {
  id: '0'.repeat(26),
  status: 'succeeded',
  progress: { queued: 0, inFlight: 0, scraped: total, discarded: 0, failed: 0, outside: 0 },
  reasons: {},
  notices: [],
  findings: [],
  complete: true,
  expiresAt: null,
  urls: ['http://a.test/'],
  output_format: 'markdown',
  scope: 'host',
  page_limit: 10,
  screenshot: null,
} as unknown as Job;

function pageOf(number: number): Page {
  const meta = { url: `http://a.test/${number}`, page: number, meta: { title: 'T', description: '', wordCount: 1 } };
  return { meta, text: 'T' } as unknown as Page;
}

const crawler: Crawler = {
  where: 'here',
  refreshMs: 5,
  begin: () => Promise.resolve({ done: new Promise<void>(() => {}), stop: () => Promise.resolve() }),
  interrupt: () => {},
  afterwards: () => Promise.resolve([]),
};

test.each([
  ['on a terminal', true],
  ['on a pipe', false],
])('followCrawl: %s, how many files of an ended job are written is shown: %s', async (_, isTTY) => {
  let text = '';
  const shown = new Map<string, () => void>();
  vi.spyOn(process.stderr, 'write').mockImplementation((piece) => {
    text += String(piece);
    for (const [wanted, seen] of shown) if (text.includes(wanted)) seen();
    return true;
  });
  const { isTTY: wasTTY } = process.stderr;
  Object.assign(process.stderr, { isTTY });
  vi.stubEnv('CI', '').stubEnv('TERM', 'xterm');
  const untilShown = (wanted: string): Promise<void> => new Promise((resolve) => void shown.set(wanted, resolve));
  let looks = 0;
  const client = {
    job: async () => (looks++, job),
    hosts: () => expect.unreachable('an ended job waits for no host'),
    pages: async function* () {
      yield pageOf(1);
      yield pageOf(2);
      // The second is written, and the display has looked at the job since.
      if (isTTY) await untilShown('2 of 3 files written');
      else await vi.waitUntil(() => looks > 2);
      yield pageOf(3);
    },
  } as unknown as Hayrake;
  const access = { client, storageProblem: () => Promise.resolve(undefined) };
  const program = { version: '1', command: 'hayrake', settings: {} } as unknown as Program;
  try {
    await followCrawl(program, access, crawler, job, { out: newDirectory(), frontMatter: 'none' });
  } finally {
    vi.restoreAllMocks();
    Object.assign(process.stderr, { isTTY: wasTTY });
    vi.unstubAllEnvs();
  }
  expect(text.includes('files written')).toBe(isTTY);
  expect(text).toContain('3 Markdown files');
});
