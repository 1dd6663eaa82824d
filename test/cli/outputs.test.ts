// Outputs that cannot be written: full, read-only, not a directory, closed by their reader.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { mainModule } from '../main-module.ts';
import { newDirectory, removeDirectories, run, storeEnv } from './program.ts';

const reachable = ['--allow-private', '127.0.0.0/8'];
const isRoot = process.getuid?.() === 0;
let site: GeneratedSite;

beforeAll(async () => {
  site = await startGeneratedSite({ pages: 200, delayMs: 10, words: 300 });
});
afterAll(() => site.close());
afterEach(removeDirectories);

/** Runs a line of a shell, where `HAYRAKE` stands for the program. */
function shell(line: string, data: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...process.env, HAYRAKE_BROWSER: 'off', ...storeEnv(['--data', data]) };
  const program = `"${process.execPath}" "${mainModule}"`;
  const child = spawn('bash', ['-c', line.replaceAll('HAYRAKE', program)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

const asked = (): number => [...site.asked.values()].reduce((sum, count) => sum + count, 0);
const crawlLine = (data: string): string => `HAYRAKE crawl ${site.origin}/ ${reachable.join(' ')} --data ${data}`;

/** The output names the line that writes all pages, and that line does. */
async function expectGetLine(stderr: string, data: string): Promise<void> {
  const [, line = ''] = /this writes all of them: hayrake (get .*)$/m.exec(stderr) ?? [];
  expect(line).toMatch(/^get \w{26} --data /);
  const kept = Number(/(\d+) pages? (?:is|are) kept/.exec(stderr)![1]);
  const got = await run(['get', line.split(' ')[1]!, '--data', data, '--json']);
  expect(got.stdout.trimEnd().split('\n')).toHaveLength(kept);
  expect((await run(['jobs', '--status', 'stopped', '--data', data, '--json'])).stdout).not.toBe('');
}

describe('before the first request', () => {
  const refused: (readonly [string, (base: string) => string, string])[] = [
    ['a file in place of the directory', (base) => path.join(base, 'file'), 'not a directory'],
    ['a file on the way', (base) => path.join(base, 'file', 'sub', 'deep'), 'not a directory'],
    ['a name that is too long', (base) => path.join(base, 'x'.repeat(300)), 'too long'],
    ['a read-only directory', (base) => path.join(base, 'closed', 'sub'), 'may not'],
  ];
  // Root may write everywhere.
  test.each(isRoot ? refused.slice(0, -1) : refused)(
    '%s: one sentence, 1, nothing requested, no job',
    async (_, outOf, message) => {
      const base = newDirectory();
      writeFileSync(path.join(base, 'file'), '');
      mkdirSync(path.join(base, 'closed'));
      chmodSync(path.join(base, 'closed'), 0o500);
      const data = newDirectory();
      const before = asked();
      const args = ['crawl', `${site.origin}/`, ...reachable, '--data', data, '--out', outOf(base)];
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^hayrake: \S+ cannot be written: .*\.\n$/);
      expect(stderr).toContain(message);
      expect(asked()).toBe(before);
      expect((await run(['jobs', '--data', data, '--json'])).stdout).toBe('');
    },
  );

  test('the check leaves nothing behind', async () => {
    const base = newDirectory();
    const out = path.join(base, 'a', 'b');
    const { code } = await run(['crawl', 'http://no-such-host.invalid/', '--data', newDirectory(), '--out', out]);
    expect(code).toBe(3);
    expect(readdirSync(base)).toEqual([]);
  });
});

describe('in the middle', () => {
  test.skipIf(!existsSync('/dev/full'))('a full standard output stops the crawl: 1', async () => {
    const data = newDirectory();
    const { code, stderr } = await shell(`${crawlLine(data)} --json > /dev/full`, data);
    expect(code).toBe(1);
    expect(stderr).toContain('✗ Standard output cannot be written: no space is left there.');
    expect(stderr).not.toMatch(/ENOSPC|Error|at file/);
    await expectGetLine(stderr, data);
  });

  test('a reader that has enough stops the crawl: 130', async () => {
    const data = newDirectory();
    const line = `${crawlLine(data)} --json | head -1 > /dev/null; exit \${PIPESTATUS[0]}`;
    const { code, stderr } = await shell(line, data);
    expect(code).toBe(130);
    expect(stderr).toContain('✗ Standard output cannot be written: its reader has closed it.');
    await expectGetLine(stderr, data);
  });

  test('a closed standard error does not: the pages are what counts', async () => {
    const [data, out] = [newDirectory(), newDirectory()];
    const line = `{ ${crawlLine(data)} --limit 50 --out ${out} 2>&1 1>/dev/null; echo $? > ${out}/code; } | true; sleep 0.1; while [ ! -s ${out}/code ]; do sleep 0.1; done; exit $(cat ${out}/code)`;
    const { code } = await shell(line, data);
    expect(code).toBe(0);
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.md'));
    expect(files).toHaveLength(50);
  });

  const canMount =
    isRoot && spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs $d && umount $d']).status === 0;
  test.skipIf(!canMount)('a directory on a full disk stops the crawl: 1; then the check finds it full', async () => {
    const [data, disk] = [newDirectory(), newDirectory()];
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk]).status).toBe(0);
    try {
      const args = ['crawl', `${site.origin}/`, ...reachable, '--data', data, '--out', path.join(disk, 'out')];
      const { code, stderr } = await run(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/✗ \S+\.md cannot be written: no space is left there\./);
      await expectGetLine(stderr, data);
      const again = await run(args);
      expect([again.code, again.stderr]).toEqual([
        1,
        expect.stringMatching(/^hayrake: \S+ cannot be written: no space/),
      ]);
    } finally {
      spawnSync('umount', [disk]);
    }
  });

  test.skipIf(!existsSync('/dev/full'))(
    'a command that reads says it in one sentence, or nothing where its reader has enough',
    async () => {
      const data = newDirectory();
      await shell(`${crawlLine(data)} --limit 30 --json > /dev/null`, data);
      const { stdout } = await run(['jobs', '--json', '--data', data]);
      const { id } = JSON.parse(stdout) as { id: string };
      for (const command of ['jobs', `get ${id} --json`, `get ${id}`, `export ${id} --format jsonl -o -`].map(
        (each) => `${each} --data ${data}`,
      )) {
        const full = await shell(`HAYRAKE ${command} > /dev/full`, data);
        expect([full.code, full.stderr], command).toEqual([
          1,
          'hayrake: Standard output cannot be written: no space is left there.\n',
        ]);
      }
      // The pages fit into the pipe, so the command begins once its reader is gone.
      const gone = path.join(data, 'gone');
      const writing = `until [ -e ${gone} ]; do sleep 0.05; done; HAYRAKE get ${id} --json --data ${data}`;
      const enough = await shell(`{ ${writing}; } | { exec <&-; touch ${gone}; }; exit \${PIPESTATUS[0]}`, data);
      expect([enough.code, enough.stderr]).toEqual([130, '']);
    },
  );
});
