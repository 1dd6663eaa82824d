// `hayrake crawl` and `hayrake resume`, as a person or a script would use them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DemoSite, startDemoSite } from '../../demo/site.ts';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { startScriptedSite } from '../e2e/scripted-site.ts';
import { htmlPage, numberedPages, startTestSite } from '../service/test-site.ts';
import { isOnPostgres } from '../service/test-store.ts';
import { mainModule } from '../main-module.ts';
import { newDirectory, removeDirectories, run, start, storeEnv } from './program.ts';

interface Row {
  readonly meta: { readonly page: number; readonly url: string; readonly meta: { readonly title: string } };
  readonly text?: string;
}

const reachable = ['--allow-private', '127.0.0.0/8'];
let site: DemoSite;
let data: string;

beforeAll(async () => {
  site = await startDemoSite();
});
afterAll(() => site.close());
afterEach(removeDirectories);

function crawl(args: readonly string[], env: Record<string, string> = {}): ReturnType<typeof run> {
  data = newDirectory();
  return run(['crawl', '--data', data, ...reachable, ...args], { env });
}

function rowsOf(ndjson: string): Row[] {
  return ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

const pathsOf = (rows: readonly Row[]): string[] => rows.map(({ meta }) => new URL(meta.url).pathname);

test('a site whose links ask not to be followed is no riddle: the last lines say so, and a flag follows them', async () => {
  const shy = await startTestSite();
  shy.add({
    '/': `<meta name=robots content=nofollow>${htmlPage({ text: 'Home', links: ['/a', '/b'] })}`,
    '/a': htmlPage({ text: 'A' }),
    '/b': htmlPage({ text: 'B' }),
  });
  const { stdout, stderr } = await crawl([`${shy.origin}/`, '--json']);
  expect(rowsOf(stdout)).toHaveLength(1);
  expect(stderr).toMatch(
    /! only_nofollow +All 2 links to other pages are marked nofollow, such as http.*\/a\.\n .*`--follow-nofollow`/,
  );
  const followed = await crawl([`${shy.origin}/`, '--json', '--follow-nofollow']);
  expect(rowsOf(followed.stdout)).toHaveLength(3);
  await shy.close();
});

test('--since last: fetches everything at first, then asks again and says which pages changed', async () => {
  const changing = await startTestSite();
  changing.add({
    '/': htmlPage({ text: 'Home', links: ['/a'] }),
    '/a': htmlPage({ text: 'The first text of this page' }),
  });
  const nightly = ['crawl', `${changing.origin}/`, '--data', newDirectory(), ...reachable, '--json'];
  const again = [...nightly, '--since', 'last', '--only-changed'];
  const first = await run(again);
  expect(rowsOf(first.stdout)).toHaveLength(2);
  expect(first.stderr).toContain('There is no ended crawl of these start URLs with this scope: everything is fetched.');
  changing.add({ '/a': htmlPage({ text: 'Another text of this page' }) });
  const second = await run(again);
  expect(pathsOf(rowsOf(second.stdout))).toEqual(['/a']);
  expect(second.stderr).toMatch(/changes +1 changed · 1 unchanged\n/);
  expect(second.stderr).toMatch(/Compared with job [0-9A-Z]{26}, the last crawl of these start URLs\./);
  await changing.close();
});

describe('what is written', () => {
  test('--json: one page a line on standard output and nothing else there; what is said goes to standard error', async () => {
    const { stdout, stderr } = await crawl([`${site.origin}/`, '--json']);
    const rows = rowsOf(stdout);
    expect(rows.map(({ meta }) => meta.page)).toEqual(rows.map((_, index) => index + 1));
    expect(pathsOf(rows)).toContain('/guide/winter-storage.html');
    expect(stderr).toMatch(/hayrake \d.*data in/);
    expect(stderr).toMatch(/25 pages · \d+ discarded · 1 failed · \d+ outside · sitemap: \d+ URLs/);
    expect(stderr).toMatch(/failed +http_404 .*\/guide\/roof-mount\.html/);
    expect(stderr).toMatch(/Next +hayrake get [0-9A-Z]{26} --json --data/);
  });

  test.each([
    ['markdown', '# Install the station\n'],
    ['text', 'Install the station\n'],
    ['html', '<h1>Install the station</h1>'],
  ])('--format %s', async (format, expected) => {
    const { stdout } = await crawl([`${site.origin}/install.html`, '--max-depth', '0', '--json', '--format', format]);
    expect(rowsOf(stdout)[0]!.text).toContain(expected);
  });

  test('--include-elements and --exclude-elements', async () => {
    const only = [`${site.origin}/install.html`, '--max-depth', '0', '--json', '--format', 'text'];
    const { stdout } = await crawl([...only, '--include-elements', 'h1']);
    expect(rowsOf(stdout)[0]!.text).toBe('Install the station');
    const without = await crawl([...only, '--exclude-elements', 'h1']);
    expect(rowsOf(without.stdout)[0]!.text).not.toContain('Install the station');
  });

  test('piped, pages with front matter go to standard output; --out - says so', async () => {
    const piped = await crawl([`${site.origin}/ping.html`, '--max-depth', '0']);
    const asked = await crawl([`${site.origin}/ping.html`, '--max-depth', '0', '--out', '-']);
    expect(piped.stdout).toMatch(/^---\ntitle: "Alive"\nurl: "http:.*\/ping\.html"\n(?:.*\n)*---\n\nMoo\.\n/);
    expect(asked.stdout).toBe(piped.stdout);
  });

  test('--out DIR: one file a page below the name of the host, with front matter', async () => {
    const out = newDirectory();
    const { stdout, stderr } = await crawl([`${site.origin}/`, '--out', out]);
    expect(stdout).toBe('');
    const host = path.join(out, new URL(site.origin).host.replace(':', '_'));
    const files = readdirSync(host, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files).toHaveLength(25);
    expect(stderr).toContain(`${host}/   25 Markdown files`);
    const index = readFileSync(path.join(host, 'index.md'), 'utf8');
    expect(index).toMatch(/^---\ntitle: "Windrow, the weather station for hay"\nurl: "http:/);
    expect(index).toContain('\n---\n\n# Windrow\n');
  });

  test('--convert-links: files link to each other', async () => {
    const out = newDirectory();
    expect((await crawl([`${site.origin}/`, '--out', out, '-k'])).stderr).toContain('25 Markdown files');
    const names = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    const broken = names.filter((name) => {
      const text = readFileSync(path.join(out, name), 'utf8');
      const targets = [...text.matchAll(/[^!]\[[^\]]*\]\((?!http|mailto:|tel:)([^#)\s]+)/g)].map(
        ([, target = '']) => target,
      );
      expect(text).not.toContain(`](${site.origin}/)`);
      return !targets.every((target) => existsSync(path.join(out, path.dirname(name), decodeURIComponent(target))));
    });
    expect(broken).toEqual([]);
    const host = path.join(out, new URL(site.origin).host.replace(':', '_'));
    expect(readFileSync(path.join(host, 'index.md'), 'utf8')).toMatch(/\]\([\w/]+\.md\)/);
  });

  test('a page can write neither to the terminal nor outside the directory', async () => {
    const hostile = await startTestSite({
      '/': htmlPage({
        title: 'Title \u001b[31mred\u0007',
        links: ['/%2e%2e/%2e%2e/up', '/..%2f..%2fup', '/con', '/a%00b'],
        text: 'start',
      }),
      '/up': htmlPage({ text: 'up' }),
      '/..%2f..%2fup': htmlPage({ text: 'climbs' }),
      '/con': htmlPage({ text: 'reserved' }),
      '/a%00b': htmlPage({ text: 'nul' }),
    });
    const out = path.join(newDirectory(), 'inner');
    const { code, stderr } = await crawl([`${hostile.origin}/`, '--out', out]);
    await hostile.close();
    expect(code).toBe(0);
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(readdirSync(path.dirname(out))).toEqual(['inner']);
    const [host] = readdirSync(out);
    expect(readdirSync(path.join(out, host!)).toSorted()).toEqual([
      '__.._up.md',
      '_con.md',
      'a_b.md',
      'index.md',
      'up.md',
    ]);
  });
});

describe('what is crawled', () => {
  test.each([
    ['--limit 5 is exact', ['--limit', '5'], (paths: string[]) => expect(paths).toHaveLength(5)],
    ['--limit 1', ['--limit', '1'], (paths: string[]) => expect(paths).toEqual(['/'])],
    ['--max-depth 0 is the start URL alone', ['--max-depth', '0'], (paths: string[]) => expect(paths).toEqual(['/'])],
    [
      '--include',
      ['--include', '/stories/**'],
      (paths: string[]) =>
        expect(paths.toSorted()).toEqual([
          '/',
          '/stories/hokkaido.html',
          '/stories/normandie.html',
          '/stories/vestland.html',
        ]),
    ],
    [
      '--exclude, more than once',
      ['--exclude', '/stories/**', '--exclude', '/guide/*'],
      (paths: string[]) => expect(paths.filter((name) => /^\/(stories|guide)\/./.test(name))).toEqual([]),
    ],
  ])('%s', async (_, flags, expectation) => {
    const { stdout } = await crawl([`${site.origin}/`, '--json', ...flags]);
    expectation(pathsOf(rowsOf(stdout)));
  });

  test('--scope path stays below the directory of the URL, and whoever gave one without it is told', async () => {
    const start = `${site.origin}/guide/`;
    const whole = await crawl([start, '--json']);
    const all = pathsOf(rowsOf(whole.stdout));
    const below = all.filter((name) => name.startsWith('/guide/'));
    expect(below.length * 2).toBeLessThan(all.length);
    expect(whole.stderr).toContain(
      `Only ${below.length} of ${all.length} pages are below /guide/. To crawl nothing else: --scope path`,
    );
    const part = await crawl([start, '--json', '--scope', 'path']);
    expect(pathsOf(rowsOf(part.stdout)).toSorted()).toEqual(below.toSorted());
    expect(part.stderr).not.toContain('--scope path');
  });

  test('--urls-from: the URLs of a file, with comments, any line ends, and those of the command line', async () => {
    const small = await startTestSite(numberedPages(5));
    const file = path.join(newDirectory(), 'urls.txt');
    writeFileSync(file, `\uFEFF# pages\r\n${small.origin}/page/2\r\n\n  ${small.origin}/page/3  \n`);
    const args = [`${small.origin}/page/4`, '--urls-from', file, '--json', '--max-depth', '0'];
    const { stdout } = await crawl(args);
    expect(pathsOf(rowsOf(stdout)).toSorted()).toEqual(['/page/2', '/page/3', '/page/4']);
    writeFileSync(file, `${small.origin}/page/2\nmailto:me@example.com\n`);
    const wrong = await crawl(['--urls-from', file]);
    await small.close();
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining(`${file}, line 2: mailto:me@example.com: `),
    ]);
    writeFileSync(file, '# none\n');
    expect(await crawl(['--urls-from', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no URL') as string,
    });
    writeFileSync(file, Buffer.from([0x68, 0xff, 0xfe]));
    expect((await crawl(['--urls-from', file])).stderr).toContain('it is not UTF-8 text');
  });

  test('--sitemap-only, --min-length', async () => {
    const mapped = await startTestSite({
      '/': htmlPage({ text: 'Home', links: ['/linked'] }),
      '/linked': htmlPage({ text: 'Linked' }),
      '/mapped': htmlPage({ text: 'In the sitemap, with a longer text' }),
    });
    mapped.add({
      '/sitemap.xml': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/xml' })
          .end(`<urlset><url><loc>${mapped.origin}/mapped</loc></url></urlset>`),
    });
    const only = await crawl([`${mapped.origin}/`, '--json', '--sitemap-only']);
    expect(pathsOf(rowsOf(only.stdout)).toSorted()).toEqual(['/', '/mapped']);
    const long = await crawl([`${mapped.origin}/`, '--json', '--min-length', '20']);
    expect(pathsOf(rowsOf(long.stdout))).toEqual(['/mapped']);
    await mapped.close();
  });

  test('cli: ends a crawl at --time-limit when its pages take longer', async () => {
    // The links are never answered, so that the job cannot end before the limit.
    const slow = await startScriptedSite((path) => {
      if (path.endsWith('.txt') || path.endsWith('.xml')) return undefined;
      return path === '/' ? htmlPage({ links: ['/1', '/2', '/3'], text: 'zero' }) : () => {};
    });
    const { code, stderr } = await crawl([`${slow.origin}/`, '--json', '--time-limit', '10']);
    await slow.close();
    expect([code, stderr]).toEqual([0, expect.stringMatching(/left out +(?:\d+ \S+, )*\d+ time_limit/)]);
  });

  test('--max-depth 1 follows one link', async () => {
    const chain = await startTestSite({
      '/': htmlPage({ links: ['/1'], text: 'zero' }),
      '/1': htmlPage({ links: ['/2'], text: 'one' }),
      '/2': htmlPage({ text: 'two' }),
    });
    const { stdout } = await crawl([`${chain.origin}/`, '--json', '--max-depth', '1']);
    await chain.close();
    expect(pathsOf(rowsOf(stdout))).toEqual(['/', '/1']);
  });
});

describe('exit codes', () => {
  test('0: all is well', async () => {
    const small = await startTestSite(numberedPages(3));
    const { code, stderr } = await crawl([`${small.origin}/`]);
    await small.close();
    expect([code, stderr]).toEqual([0, expect.stringContaining('✓ 3 pages · 0 discarded · 0 failed · 0 outside')]);
  });

  test('3: nothing was scraped, and what failed is named', async () => {
    const { code, stderr } = await crawl([`${site.origin}/nothing-here`, '--max-depth', '0']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/✗ 0 pages · 0 discarded · 1 failed/);
    expect(stderr).toMatch(/failed +http_404 +http.*nothing-here$/m);
  });

  test('3 at once for a host that does not exist: another attempt would not help', async () => {
    const { code, stderr } = await crawl(['http://no-such-host.invalid/']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/failed +dns +http:\/\/no-such-host\.invalid\/ +The host name/);
  });

  test('0: a link is dead, and nothing else is missing', async () => {
    const { code, stderr } = await crawl([`${site.origin}/`]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/· 1 failed ·/)]);
  });

  test('3: no page at all, and why: a start URL that robots.txt forbids, with the rule', async () => {
    const { code, stderr } = await crawl([`${site.origin}/private/trial-fields.html`, '--max-depth', '0']);
    expect(code).toBe(3);
    expect(stderr).toContain(
      "The job ended without a page: its only URL ended as `robots_disallowed`. The site's robots.txt forbids the URL.",
    );
    expect(stderr).toMatch(/outside +robots_disallowed +http\S+ +Disallow: \/private\/ \(robots\.txt, line \d+\)/);
  });

  test.each([
    ['a relative URL', ['/docs/'], '/docs/: The URL is not absolute'],
    [
      'another scheme',
      ['ftp://example.com/'],
      'ftp://example.com/: The URL begins with "ftp:", but only http and https',
    ],
    ['several of them', ['one', 'two'], 'two: The URL is not absolute'],
    ['no URL', [], 'Name a URL, or a file of URLs with --urls-from FILE.'],
    [
      'a file of URLs that is not there',
      ['--urls-from', '/no/such/file'],
      '--urls-from: /no/such/file cannot be read: there is no such file.',
    ],
    [
      'a limit that is no number',
      ['http://example.com', '--limit', 'many'],
      '--limit takes a whole number, not "many".',
    ],
    ['a limit of 0', ['http://example.com', '--limit', '0'], '--limit: '],
    ['a broken glob', ['http://example.com', '--include', 'x'.repeat(513)], '--include: '],
    ['an unknown format', ['http://example.com', '--format', 'pdf'], 'Allowed choices are markdown, text, html'],
    ['an address of the inside', ['http://10.1.2.3/'], '--allow-private'],
  ])('2: %s, and what to do about it', async (_, args, message) => {
    const { code, stderr } = await run(['crawl', '--data', newDirectory(), ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  // A PostgreSQL database is there for several.
  test.skipIf(isOnPostgres())('6: the directory is in use (needs the embedded database)', async () => {
    const slow = await startGeneratedSite({ pages: 2, delayMs: 30_000 });
    const directory = newDirectory();
    const args = ['crawl', '--data', directory, ...reachable, `${slow.origin}/`];
    const first = start(args);
    await slow.morePages(1);
    const second = await run(args);
    first.child.kill('SIGKILL');
    await first.finished;
    await slow.close();
    expect([second.code, second.stderr]).toEqual([
      6,
      expect.stringContaining(`in use by another crawling hayrake (process ${first.child.pid})`),
    ]);
  });
});

describe('stopping', () => {
  const pages = 120;
  let wide: GeneratedSite;
  beforeAll(async () => {
    wide = await startGeneratedSite({ pages, delayMs: 20 });
  });
  afterAll(() => wide.close());

  test('Ctrl-C once: 130, everything is kept, and the command that is said completes the job with every page once', async () => {
    const directory = newDirectory();
    const program = start(['crawl', '--json', '--data', directory, ...reachable, `${wide.origin}/`]);
    await wide.morePages(30);
    program.child.kill('SIGINT');
    const { code, stderr } = await program.finished;
    expect(code).toBe(130);
    expect(stderr).toMatch(/Stopping .*Ctrl-C again to end at once\./);
    expect(stderr).toMatch(/Stopped: \d+ pages kept, \d+ URLs still to crawl\./);
    const command = /^ *Next +hayrake (resume .*)$/m.exec(stderr)![1]!;
    expect(command).toMatch(new RegExp(`^resume \\w{26} --data ${directory} --allow-private 127.0.0.0/8 --json$`));

    const resumed = await run(command.split(' '));
    expect(resumed.code).toBe(0);
    const rows = rowsOf(resumed.stdout);
    expect(rows.map(({ meta }) => meta.page)).toEqual(rows.map((_, index) => index + 1));
    expect(pathsOf(rows).toSorted()).toEqual(wide.paths.toSorted());
    expect(Math.max(...wide.paths.map((name) => wide.asked.get(name) ?? 0))).toBe(1);
  });

  test('Ctrl-C twice ends at once, and the job can still be resumed', async () => {
    const slow = await startGeneratedSite({ pages: 2, delayMs: 60_000 });
    const directory = newDirectory();
    const program = start(['crawl', '--data', directory, ...reachable, `${slow.origin}/`]);
    await slow.morePages(1);
    program.child.kill('SIGINT');
    await program.says(/Stopping after /);
    // Two signals within a quarter of a second are one press: npm passes on what the terminal has sent already.
    const pressing = setInterval(() => program.child.kill('SIGINT'), 100);
    const { code } = await program.finished;
    clearInterval(pressing);
    expect(code).toBe(130);
    await slow.close();
    const { stdout } = await run(['jobs', '--data', directory]);
    expect(stdout).toMatch(/^\w{26} {2}stopped /m);
  });

  test('resume of a job that has ended writes its pages again, and asks the site for nothing', async () => {
    const small = await startTestSite(numberedPages(4));
    const first = await crawl([`${small.origin}/`, '--json']);
    const asked = small.requests.length;
    const id = /get (\w{26})/.exec(first.stderr)![1]!;
    const again = await run(['resume', id, '--data', data, '--json', ...reachable]);
    await small.close();
    expect([again.code, again.stdout]).toEqual([0, first.stdout]);
    expect(small.requests).toHaveLength(asked);
  });

  test('resume of a job that is not there says where to look', async () => {
    const { code, stderr } = await run(['resume', '0'.repeat(26), '--data', newDirectory()]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('`hayrake jobs` lists them')]);
  });

  test('a reader that has enough, such as head, ends the program', async () => {
    const directory = newDirectory();
    const command = `"${process.execPath}" "${mainModule}" crawl "${wide.origin}/" --json --data "${directory}" --allow-private 127.0.0.0/8 | head -1`;
    const env = { ...process.env, ...storeEnv(['--data', directory]) };
    const program = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    program.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    program.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    await new Promise((resolve) => program.on('close', resolve));
    expect(rowsOf(stdout)).toHaveLength(1);
    expect(stderr).not.toMatch(/EPIPE|Error|at /);
  });
});

describe('progress', () => {
  const hasScript = spawnSync('script', ['--version']).status === 0;

  /** What the program shows on a terminal of 60 columns. */
  const onTerminal = async (directory: string, args: string, env: Record<string, string> = {}): Promise<string> => {
    const { CI: _, NO_COLOR: __, ...inherited } = process.env;
    const command = `"${process.execPath}" "${mainModule}" ${args} --data ${directory}`;
    const child = spawn('script', ['-qec', `stty cols 60; ${command}`, '/dev/null'], {
      env: { ...inherited, ...storeEnv(['--data', directory]), TERM: 'xterm', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    await new Promise((resolve) => child.on('close', resolve));
    return text;
  };

  test.skipIf(!hasScript)(
    'is drawn on a terminal; NO_COLOR, CI and TERM=dumb are honoured (needs script from bsdutils)',
    async () => {
      const crawlOn = (env: Record<string, string>): Promise<string> => {
        const directory = newDirectory();
        return onTerminal(directory, `crawl ${site.origin}/ --out ${newDirectory()} --allow-private 127.0.0.0/8`, env);
      };
      const [plain, noColour, ci, dumb] = await Promise.all(
        [{}, { NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }].map(crawlOn),
      );
      const [drawing, colour] = [/\p{Cc}\[\d+A/u, /\p{Cc}\[3[1-3]m/u];
      expect(plain).toMatch(drawing);
      expect(plain).toMatch(colour);
      expect(noColour).toMatch(drawing);
      expect(noColour).not.toMatch(colour);
      for (const text of [ci, dumb]) expect(text).not.toContain('\u001b');
      for (const text of [plain, noColour, ci, dumb]) expect(text).toMatch(/25 pages · \d+ discarded · 1 failed/);
    },
  );

  test.skipIf(!hasScript)(
    'of files that get and export write is drawn on a terminal, and nowhere else (needs script from bsdutils)',
    async () => {
      const directory = newDirectory();
      const reachable = ['--allow-private', '127.0.0.0/8'];
      const { stdout } = await run(['crawl', `${site.origin}/`, '--json', '--data', directory, ...reachable]);
      const pages = rowsOf(stdout).length;
      const { stdout: jobs } = await run(['jobs', '--data', directory]);
      const [id = ''] = /\b[0-9A-Z]{26}\b/i.exec(jobs) ?? [];
      const out = newDirectory();
      const exported = (): string => `export ${id} --format jsonl -o ${newDirectory()}.jsonl`;
      const line = new RegExp(`\\d+ of ${pages} (files|pages) (written|linked)`);
      expect(await onTerminal(directory, `get ${id} --out ${out}`)).toMatch(line);
      expect(await onTerminal(directory, `get ${id} --out ${out} --convert-links`)).toContain('linked');
      expect(await onTerminal(directory, exported())).toMatch(line);
      // The pages are on the terminal themselves.
      expect(await onTerminal(directory, `get ${id} --json`)).not.toMatch(line);
      expect(await onTerminal(directory, exported(), { CI: 'true' })).not.toMatch(line);
      const { stderr } = await run(['get', id, '--out', out, '--data', directory]);
      expect(stderr).not.toMatch(line);
      expect(stderr).not.toContain('\u001b');
    },
  );

  test('without a terminal nothing is drawn over', async () => {
    const { stderr } = await crawl([`${site.origin}/`]);
    expect(stderr).not.toContain('\u001b');
    expect(existsSync(data)).toBe(true);
  });
});
