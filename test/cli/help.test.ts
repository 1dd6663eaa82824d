// Help, names of jobs, and what a person types by habit: in this process, since each start takes a second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { commandTable } from '../../src/cli/command-table.ts';
import { fittedJobTable, jobTable, type TableRow } from '../../src/cli/output/job-table.ts';
import { columnsOf } from '../../src/cli/output/terminal.ts';
import { optionsOf } from '../../src/options/inputs.ts';
import { runProgram } from '../../src/start/program.ts';
import { run as start } from './program.ts';

beforeAll(() => {
  for (const output of [process.stdout, process.stderr]) output.setMaxListeners(200);
});

async function run(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await runProgram(args), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const commands = Object.values(commandTable).flatMap((group) => Object.keys(group));
const linesOf = (text: string): number => text.trimEnd().split('\n').length;

test('help: has at most 60 lines on its first screen, and names every command', async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  expect(linesOf(stdout)).toBeLessThanOrEqual(60);
  for (const name of commands.filter((one) => !one.includes(' ')))
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'mu'));
});

test.each(commands)(
  'help of %s: has at most 60 lines of 80 columns and three examples with flags that it has',
  async (name) => {
    const [first, all] = [await run(...name.split(' '), '--help'), await run(...name.split(' '), '--help', 'all')];
    expect([first.code, all.code]).toEqual([0, 0]);
    expect(linesOf(first.stdout)).toBeLessThanOrEqual(60);
    expect(linesOf(all.stdout)).toBeGreaterThanOrEqual(linesOf(first.stdout) - 1);
    const [help = '', shown = ''] = first.stdout.split('\nExamples:\n');
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const examples = shown.split('\n').filter((line) => line.startsWith('  hayrake '));
    expect(examples).toHaveLength(3);
    if (name === 'token') return;
    for (const [flag] of examples.join('\n').matchAll(/(?<= )--?[a-z][a-z-]*/gu)) {
      if (name === 'map' && examples.join('\n').includes('| hayrake crawl')) continue;
      expect(all.stdout).toContain(flag);
    }
  },
);

test('help: shows each command and each option of the first screens in a group that has a name', async () => {
  const { stdout } = await run('--help');
  expect(stdout).not.toMatch(/^Commands:$/mu);
  const { stdout: crawl } = await run('crawl', '--help');
  const [, others = ''] = /^Options:\n([^]*?)\n\n/mu.exec(crawl) ?? [];
  expect(Array.from(others.matchAll(/^  .*?(--[\w-]+)/gmu), ([, flag]) => flag)).toEqual(['--server', '--help']);
});

test('help all of crawl: has a flag for every option of the request, with the default of each that has one', async () => {
  const { stdout } = await run('crawl', '--help', 'all');
  // These have no effect, or the command line gives them otherwise.
  const without = new Set(['urls', 'link_crawling', 'advanced_proxy', 'extract_object']);
  for (const { name, option } of optionsOf('crawl').filter((one) => !without.has(one.name))) {
    expect([name, option.flag]).toEqual([name, expect.anything()]);
    const { flags, reads } = option.flag!;
    const [, entry = ''] =
      new RegExp(`^  (?:-k, )?${flags.replaceAll(/[[\]]/gu, String.raw`\$&`)} ([^]*?)(?=^  -|^\\w|^$)`, 'mu').exec(
        stdout,
      ) ?? [];
    expect([name, entry]).toEqual([name, expect.stringMatching(/\w/u)]);
    const hasDefault = !['switch', 'list', 'pairs', 'commas'].includes(reads);
    expect([name, entry.replaceAll(/\s+/gu, ' ').includes('default: ')]).toEqual([name, hasDefault]);
  }
});

test('help all, after `help COMMAND` too, differs from the first screen', async () => {
  const [first, flag, command] = [
    await run('crawl', '--help'),
    await run('crawl', '--help', 'all'),
    await run('help', 'crawl', 'all'),
  ];
  expect(first.stdout).not.toContain('--no-trap-detection');
  expect(flag.stdout).toContain('--no-trap-detection');
  expect(command.stdout).toBe(flag.stdout);
});

test.each([
  [['crawl', 'https://a.example', '--depth', '2'], '--max-depth N'],
  [['crawl', 'https://a.example', '--max-pages=2'], '--limit N'],
  [['crawl', 'https://a.example', '--output', 'x'], '--out'],
  [['crawl', 'https://a.example', '--maxPages', '3'], '--limit N'],
  [['scrape', 'https://a.example', '-x', 'x'], 'HAYRAKE_PROXY'],
  [['scrape', 'https://a.example', '--proxy', 'http://u:p@x'], 'HAYRAKE_PROXY'],
])('%j: names the flag that is meant', async (args, hint) => {
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

test.each([
  [['crawl', 'https://a.example', '--formats', 'source'], '--formats needs --json or --out DIR'],
  [['scrape', 'https://a.example', '--formats', 'source'], '--formats needs --json'],
  [['get', '7ZC4M00000AAAAAAAAAAAAAAAA', '--meta', '--out', 'x'], 'Leave out --out'],
])('%j: is refused, since an option would be ignored', async (args, message) => {
  const { code, stderr } = await start(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('docs: lists the documents, and prints one by topic, file name and anchor', async () => {
  const list = await run('docs');
  expect(list.stdout).toMatch(/^browser +Pages that need a browser$/mu);
  const texts = [];
  for (const name of ['browser', 'docs/browser.md', 'Browser', 'docs/browser.md#the-sandbox'])
    texts.push((await run('docs', name)).stdout);
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toMatch(/^# Pages that need a browser/u);
  expect(await run('docs', 'decisions/browser')).toMatchObject({ code: 0 });
  for (const name of ['nothing', '../package.json', '/etc/passwd'])
    expect(await run('docs', name)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('hayrake docs'),
    });
});

const progress = { queued: 1, inFlight: 1, scraped: 1_234, discarded: 0, failed: 2, outside: 0 };
function row(id: string, url: string, createdAt = 0): TableRow {
  return { job: { id, createdAt, progress, urls: [url] } as unknown as TableRow['job'], state: 'incomplete' };
}

test.each([60, 80, 100, 200])('table of jobs: fits a terminal of %i columns', (columns) => {
  const rows = [
    row('7ZC4M00000AAAAAAAAAAAAAAAA', `https://a.example/${'long/'.repeat(60)}`),
    row('7ZC4M00000BAAAAAAAAAAAAAAA', 'https://例え.example/\u001b[31m', -3 * 86_400_000),
  ];
  const lines = fittedJobTable(rows, columns, 60_000 * 90)
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(Math.max(columns, 75));
  expect(lines[1]).toMatch(/^7ZC4M00000A {2}incomplete {2}1 h +1234 +2 +2 +https/u);
  expect(lines[2]).toMatch(/^7ZC4M00000B {2}incomplete {2}3 d /u);
  expect(lines.join('')).not.toContain('\u001b');
  expect(jobTable(rows)).toContain('7ZC4M00000AAAAAAAAAAAAAAAA  incomplete  1970-01-01T00:00:00.000Z');
});

const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-help-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('a reading command on a directory without data makes none, also for `last`', async () => {
  const data = path.join(directory, 'nothing');
  const { code, stderr } = await start(['get', 'last', '--data', data]);
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(/no data|no job/iu)]);
});
