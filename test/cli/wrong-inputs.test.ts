// Forty-one things that people type: each answer says what is wrong and what to do, ends with 2, and shows no stack. In this
// process, since each start takes a second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runProgram } from '../../src/start/program.ts';

const url = 'https://a.example';
const help = '(--help lists commands and options)';
type Row = readonly [args: readonly string[], wrong: string, remedy: string, env?: Readonly<Record<string, string>>];

const rows: readonly Row[] = [
  [['crawl'], 'Name a URL', '--urls-from FILE'],
  [['crawl', 'ftp://a.example'], 'begins with "ftp:"', 'Write https:// or http:// in front'],
  [['crawl', 'http://'], 'has no host', 'such as https://example.com/'],
  [['crawl', 'http://10.0.0.1/'], 'may not reach', '--allow-private 127.0.0.1/32'],
  [['crawl', 'http://localhost/'], 'may not reach', '--allow-private'],
  [['crawl', url, '--limit', '0'], '--limit', 'Give a whole number from 1'],
  [['crawl', url, '--limit', 'ten'], 'not "ten"', 'takes a whole number'],
  [['crawl', url, '--limit'], 'argument missing', help],
  [['crawl', url, '--limitt', '5'], "unknown option '--limitt'", 'Did you mean --limit?'],
  [['crawl', url, '--max-depth', '-1'], 'not "-1"', 'takes a whole number'],
  [['crawl', url, '--format', 'pdf'], "'pdf' is invalid", 'Allowed choices are markdown, text, html'],
  [['crawl', url, '--scope', 'planet'], "'planet' is invalid", 'Allowed choices are host, path, subdomains'],
  [['crawl', url, '--header', 'no colon'], '--header takes a name and a value', 'with `:` between them'],
  [['crawl', url, '--cookie', 'x'], '--cookie takes a name and a value', 'with `=` between them'],
  [['crawl', url, '--header', 'Host: b'], 'sets this header itself', 'Leave it out'],
  [['crawl', url, '--job-delay-ms', 'fast'], 'not "fast"', 'takes a whole number'],
  [['crawl', url, '--extract', 'missing.json'], 'cannot be read as JSON', 'missing.json'],
  [['crawl', url, '--proxy', 'http://u:p@x'], 'no proxy of this name', 'NAME=URL'],
  [['crawl', url, '--insecure-tls'], 'this service allows none', 'Leave it out, or have the operator set'],
  [['crawl', url, '--json', '--out', 'x', '--convert-links'], 'is for files', 'leave out --json'],
  [['crawl', url, '--output-expiry', 'soon'], 'not "soon"', 'takes a whole number'],
  [['scrape'], "missing required argument 'url'", help],
  [['scrape', url, '--server', 'ftp://x'], 'cannot be used', 'like http://127.0.0.1:8380'],
  [['scrape', url, '--server', 'http://127.0.0.1:1', '--data', 'x'], '--data cannot be set', 'Leave them out'],
  [['map', 'not a url'], 'contains white space', 'Write it percent-encoded'],
  [['jobs', '--limit', 'x'], 'not "x"', 'takes a whole number'],
  [['jobs', '--status', 'lost'], "'lost' is invalid", 'Allowed choices are starting'],
  [['get', 'last'], 'There is no data in', 'Name another directory with --data', { HAYRAKE_DATA: '/there/is/none' }],
  [['export', 'last'], "required option '--format <format>' not specified", help],
  [
    ['erase', '7ZC4M00000AAAAAAAAAAAAAAAA', '0'],
    '0 is not the number of a page',
    'get 7ZC4M00000AAAAAAAAAAAAAAAA --meta',
  ],
  [['search', '7ZC4M00000AAAAAAAAAAAAAAAA'], "missing required argument 'words'", help],
  [['token', 'create', '--permissions', 'all'], 'There is no permission "all"', 'There are: read, write'],
  [['token', 'create', '--expires', 'soon'], '--expires takes a whole number', 'such as 30d'],
  [['serve', '--port', '99999'], '--port is "99999"', 'write a whole number from 0 to 65535'],
  [['migrate', '--from', 'nowhere'], 'Name the target', 'set HAYRAKE_DATABASE_URL'],
  [['crwal', url], "unknown command 'crwal'", 'Did you mean crawl?'],
  [['docs', 'nothing'], 'There is no document "nothing"', '`hayrake docs` lists them'],
  [['config', '--log-level', 'loud'], '--log-level is "loud"', 'write one of debug, info, warn, error, silent'],
  [['jobs'], 'HAYRAKE_MEMORY_MB is "128"', 'write 256 or more', { HAYRAKE_MEMORY_MB: '128' }],
  [['jobs'], 'HAYRAKE_PROXY cannot be used', 'like http://user:password@', { HAYRAKE_PROXY: 'ftp://u:p@x' }],
  [['jobs'], 'HAYRAKE_TOKEN cannot be used', 'openssl rand -hex 32', { HAYRAKE_TOKEN: 'short' }],
];

let directory: string;
beforeAll(() => {
  for (const output of [process.stdout, process.stderr]) output.setMaxListeners(200);
  directory = mkdtempSync(path.join(tmpdir(), 'hayrake-wrong-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

test('there are forty', () => {
  expect(rows).toHaveLength(41);
});

const cases = rows.map(([args, wrong, remedy, env = {}]) => ({ line: args.join(' '), args, wrong, remedy, env }));

test.each(cases)('hayrake $line: says what is wrong and what to do', async ({ args, wrong, remedy, env }) => {
  let said = '';
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    }),
  );
  const settings = { HAYRAKE_DATA: path.join(directory, 'none'), ...env };
  Object.entries(settings).forEach(([name, value]) => vi.stubEnv(name, value));
  let code: number;
  try {
    code = await runProgram(args);
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
  expect([code, said]).toEqual([2, expect.stringContaining(wrong)]);
  expect(said).toContain(remedy);
  expect(said).not.toMatch(/^\s+at .+:\d+/mu);
  expect(said.trimEnd().split('\n').length).toBeLessThanOrEqual(4);
});
