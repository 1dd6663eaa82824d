// What is shown of a crawl: on a terminal of any width, and where there is none.
import { describe, expect, test } from 'vitest';
import { duration, ProgressDisplay, waitingFor } from '../../src/cli/output/progress-display.ts';
import { type Written, WrittenLine } from '../../src/cli/output/written-line.ts';
import { columnsOf, fitted, printable, printableLines, terminalOf } from '../../src/cli/output/terminal.ts';
import type { Job } from '../../packages/client/index.ts';

const escape = '\u001b';

function streamOf(options: { readonly isTTY: boolean; readonly columns?: number }): {
  stream: NodeJS.WriteStream;
  text(): string;
} {
  let text = '';
  const stream = { ...options, write: (piece: string) => ((text += piece), true) } as unknown as NodeJS.WriteStream;
  return { stream, text: () => text };
}

function jobWith(progress: Partial<Job['progress']>, pageLimit = 10_000, notices: Job['notices'] = []): Job {
  const all = { queued: 0, inFlight: 0, scraped: 0, discarded: 0, failed: 0, outside: 0, ...progress };
  return { progress: all, page_limit: pageLimit, notices } as unknown as Job;
}

describe('the live display', () => {
  const draw = (columns: number, job: Job, title = 'Install'): string[] => {
    const { stream, text } = streamOf({ isTTY: true, columns });
    const display = new ProgressDisplay(terminalOf(stream, {}));
    display.page('http://example.com/guide/install?x=1', { title, description: '', wordCount: 312 });
    display.update(job);
    return text().replaceAll(`${escape}[?7l`, '').replaceAll(`${escape}[?7h`, '').split('\n');
  };

  test('has a bar, the counts and the last page', () => {
    expect(draw(80, jobWith({ scraped: 131, discarded: 4, failed: 3, queued: 70, inFlight: 6 }))).toEqual([
      '',
      '  ███████████████░░░░░░░░░  138/214  64%  0.0 URLs/s',
      '  131 pages · 76 queued · 3 failed · 4 discarded',
      '  ↳ /guide/install?x=1  "Install"  312 words',
      '',
    ]);
  });

  test('says the delay times what is left, where a host is asked less often than the pace is measured', () => {
    const { stream, text } = streamOf({ isTTY: true, columns: 80 });
    const display = new ProgressDisplay(terminalOf(stream, {}));
    display.delayMs = 20_000;
    display.update(jobWith({ scraped: 3, queued: 58 }));
    expect(text()).toContain('19 min 20 s left');
  });

  test.each([20, 40, 60, 80, 200])('stays within %i columns, with any title', (columns) => {
    const lines = draw(
      columns,
      jobWith({ scraped: 123_456, queued: 987_654, failed: 1_000, discarded: 54_321 }),
      '北海道の干し草作り 🌾'.repeat(10),
    );
    for (const line of lines) expect(columnsOf(line)).toBeLessThan(columns);
    expect(lines).toHaveLength(5);
  });

  test('counts towards the page limit where more is queued than will be fetched', () => {
    expect(draw(80, jobWith({ scraped: 5, discarded: 1, queued: 90 }, 10))[1]).toContain('6/11  54%');
  });

  test('waitingFor: says which host a crawl waits for, and until when', () => {
    const now = Date.now();
    const asleep = { host: 'a.test:443', delayMs: 0, backOffUntil: now + 60_000 };
    expect(waitingFor([asleep], now)).toMatch(/^waits for a\.test:443 until \d\d:\d\d:\d\d, then goes on by itself$/);
    expect(waitingFor([asleep, { host: 'b.test:443', delayMs: 0 }], now)).toBeUndefined();
    expect(waitingFor([{ host: 'a.test:443', delayMs: 30_000 }], now)).toContain('asks a.test:443 every 30 s');
    expect(waitingFor([], now)).toBeUndefined();
    expect(waitingFor([asleep], now, 'insufficient_storage')).toMatch(/^waits for room on the disk/);
  });

  test('leaves what the job has to say on the screen, each of it once', () => {
    const { stream, text } = streamOf({ isTTY: true, columns: 80 });
    const display = new ProgressDisplay(terminalOf(stream, {}));
    const common = { code: 'rendered_pages', message: 'Rendered.', at: 1, count: 1, example: 'x' } as const;
    const told = { code: 'trap', message: `Like /calendar/${escape}[31m#.`, at: 2 } as const;
    display.update(jobWith({ scraped: 1 }, 10, [common]));
    display.update(jobWith({ scraped: 2 }, 10, [common, told]));
    display.update(jobWith({ scraped: 3 }, 10, [common, told]));
    expect(text()).not.toContain('Rendered.');
    expect(text().split('Like /calendar/')).toHaveLength(2);
    expect(text()).not.toContain(`${escape}[31m`);
  });

  test.each([
    [80, 60, 4],
    [80, 40, 6],
    [80, 20, 8],
    [40, 120, 4],
  ])('drawn at %i columns and resized to %i, is removed by the rows that it fills then', (before, after, rows) => {
    const { stream, text } = streamOf({ isTTY: true, columns: before });
    const display = new ProgressDisplay(terminalOf(stream, {}));
    display.page('http://example.com/', { title: 'T', description: '', wordCount: 1 });
    display.update(jobWith({ scraped: 131, discarded: 4, failed: 3, queued: 70, inFlight: 6 }));
    Object.assign(stream, { columns: after });
    display.clear();
    expect(text()).toMatch(new RegExp(`\\u001b\\[${rows}A\\u001b\\[J$`));
  });

  test('is removed by as many lines as were drawn', () => {
    const { stream, text } = streamOf({ isTTY: true, columns: 80 });
    const display = new ProgressDisplay(terminalOf(stream, {}));
    display.clear();
    expect(text()).toBe('');
    display.update(jobWith({ queued: 1 }));
    const lines = text().split('\n').length - 1;
    display.clear();
    expect(text()).toMatch(new RegExp(`\\u001b\\[${lines}A\\u001b\\[J$`));
  });
});

describe('the line of what is written', () => {
  const pages = async function* (count: number): AsyncGenerator<number> {
    for (let page = 1; page <= count; page++) yield page;
  };
  /** All that was drawn, and how far the consumer was each time. */
  const draw = async (isTTY: boolean, written: Written, count: number, stepMs = 100): Promise<string[]> => {
    const { stream, text } = streamOf({ isTTY, columns: 80 });
    let now = 0;
    const line = new WrittenLine(terminalOf(stream, {}), () => (now += stepMs));
    let last = 0;
    for await (const page of line.counted(pages(count), written)) last = page;
    expect(last).toBe(count);
    expect(text() === '' || text().endsWith(`${escape}[1A${escape}[J`)).toBe(true);
    return [...text().matchAll(/ {2}(.*)\n/g)].map(([, shown = '']) => shown);
  };

  test('counts what is written, and is removed at the end', async () => {
    expect(await draw(true, { noun: 'file', total: 3 }, 3)).toEqual([
      '1 of 3 files written',
      '2 of 3 files written',
      '3 of 3 files written',
    ]);
    expect(await draw(true, { noun: 'page', total: 1, verb: 'linked' }, 1)).toEqual(['1 of 1 page linked']);
  });

  test('counts on when a job has more pages by now', async () => {
    expect(await draw(true, { noun: 'file', total: 1 }, 2)).toEqual(['1 of 1 file written', '2 of 2 files written']);
  });

  test('is drawn ten times a second at most', async () => {
    expect(await draw(true, { noun: 'file', total: 9 }, 9, 30)).toEqual([
      '1 of 9 files written',
      '5 of 9 files written',
      '9 of 9 files written',
    ]);
  });

  test('is absent where lines cannot be redrawn, and where the pages themselves are on the terminal', async () => {
    expect(await draw(false, { noun: 'file', total: 3 }, 3)).toEqual([]);
    expect(await draw(true, { noun: undefined, total: 3 }, 3)).toEqual([]);
  });

  test('is removed when the output cannot be written', async () => {
    const { stream, text } = streamOf({ isTTY: true, columns: 80 });
    const write = async (): Promise<void> => {
      const line = new WrittenLine(terminalOf(stream, {}));
      for await (const page of line.counted(pages(3), { noun: 'file', total: 3 }))
        if (page === 2) throw new Error('full');
    };
    await expect(write()).rejects.toThrow('full');
    expect(text().endsWith(`1 of 3 files written\n${escape}[?7h${escape}[1A${escape}[J`)).toBe(true);
  });
});

describe('a terminal', () => {
  test.each([
    ['a terminal', true, {}, true, true],
    ['NO_COLOR', true, { NO_COLOR: '1' }, true, false],
    ['an empty NO_COLOR, which says nothing', true, { NO_COLOR: '' }, true, true],
    ['CI', true, { CI: 'true' }, false, false],
    ['TERM=dumb', true, { TERM: 'dumb' }, false, false],
    ['a pipe', false, {}, false, false],
  ])('%s', (_, isTTY, env, isLive, hasColour) => {
    const terminal = terminalOf(streamOf({ isTTY }).stream, env);
    expect(terminal.isLive).toBe(isLive);
    expect(terminal.red('x') === 'x').toBe(!hasColour);
  });

  test('that does not know its width is taken for 80 columns', () => {
    expect(terminalOf(streamOf({ isTTY: true }).stream, {}).columns).toBe(80);
    expect(terminalOf(streamOf({ isTTY: true, columns: 0 }).stream, {}).columns).toBe(80);
  });
});

describe('text from the web', () => {
  test.each([
    ['colours', 'a\u001b[31mb', 'a [31mb'],
    ['C1 controls', 'a\u009b31mb', 'a 31mb'],
    ['line breaks', 'a\r\nb', 'a b'],
    ['overrides of direction', 'a\u202eb\u2066c', 'a b c'],
    ['letters of all scripts', 'Høy 北海道 🌾', 'Høy 北海道 🌾'],
  ])('is safe to print: %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('keeps its lines where it has some', () => {
    expect(printableLines('a\n\tb\u001b[2J\r\n')).toBe('a\n\tb[2J\n');
  });

  test.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 5, 'too …'],
    ['北海道の干し草', 7, '北海道…'],
    ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
  ])('%s in %i columns', (text, columns, expected) => {
    expect(fitted(text, columns)).toBe(expected);
  });
});

test.each([
  [0.0004, '1 ms'],
  [0.2, '200 ms'],
  [1.24, '1.2 s'],
  [9.97, '10 s'],
  [59.6, '1 min 0 s'],
  [104, '1 min 44 s'],
  [3 * 3600 + 120, '3 h 2 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
