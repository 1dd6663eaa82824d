import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const project = path.join(import.meta.dirname, '..');

describe('npm run lines', () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'hayrake-lines-'));
    for (const room of ['scripts', 'src/crawl', 'src/jobs']) mkdirSync(path.join(folder, room), { recursive: true });
    cpSync(path.join(project, 'scripts/lines.ts'), path.join(folder, 'scripts/lines.ts'));
    symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'));
    writeFileSync(path.join(folder, '.gitignore'), 'node_modules\n');
    writeFileSync(path.join(folder, 'notes.md'), 'A document.\n');
    write('src/crawl/lane.ts', 200);
    write('src/jobs/cursor.ts', 100);
    budget({ reserve: 20, rooms: { 'src/crawl': 200, 'src/jobs': 100 } });
    git('init', '--quiet');
    commit();
  });

  it('the check passes when each room holds its number', () => {
    expect(lines('--check')).toContain('300 code lines in 2 files, 20 in reserve');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('the check fails when a room holds more than its number', () => {
    write('src/jobs/cursor.ts', 101);
    expect(lines('--check')).toContain('src/jobs has 101 code lines, 1 more than');
  });

  it('the check fails when a room holds over 100 lines less than its number', () => {
    write('src/jobs/cursor.ts', 100);
    write('src/crawl/lane.ts', 99);
    expect(lines('--check')).toContain('src/crawl has 99 code lines, 101 fewer than');
  });

  it('counts neither blank lines nor comments, imports or tests', () => {
    const text = readFileSync(path.join(folder, 'src/crawl/lane.ts'), 'utf8');
    const more = "import a from 'a';\nimport {\n  b,\n} from 'b';\n// one\n/* two\n   three */\n\n";
    writeFileSync(path.join(folder, 'src/crawl/lane.ts'), more + text);
    write('src/crawl/lane.test.ts', 500);
    expect(lines('--check')).toContain('src/crawl has 99 code lines, 101 fewer than');
  });

  it('moves what was taken out to the reserve, and takes from there what a room gains', () => {
    write('src/jobs/cursor.ts', 190);
    lines('--write');
    expect(lines('--check')).toContain('289 code lines in 2 files, 31 in reserve');
    commit();
  });

  it('writes nothing when rooms gain more than the reserve holds', () => {
    write('src/jobs/cursor.ts', 290);
    expect(lines('--write')).toContain('69 code lines over its budget');
    write('src/jobs/cursor.ts', 190);
    expect(lines('--check')).toContain('31 in reserve');
  });

  it('the check fails when a change or a commit raises the sum of all numbers', () => {
    budget({ reserve: 32, rooms: { 'src/crawl': 99, 'src/jobs': 190 } });
    expect(lines('--check')).toContain('This change raises the sum of all numbers');
    commit();
    expect(lines('--check')).toMatch(/^Commit \w+ raises the sum of all numbers/m);
  });

  it('the check fails when JSON has several entries a line', () => {
    writeFileSync(path.join(folder, 'src/jobs/data.json'), `[${'1, '.repeat(200)}1]\n`);
    expect(lines('--check')).toContain('src/jobs/data.json has lines of more than 400 characters');
  });

  function write(name: string, count: number): void {
    writeFileSync(path.join(folder, name), 'work();\n'.repeat(count));
  }

  function budget(of: object): void {
    writeFileSync(path.join(folder, 'scripts/lines.json'), JSON.stringify(of));
  }

  function commit(): void {
    git('add', '--all');
    git('-c', 'user.name=test', '-c', 'user.email=test@test', 'commit', '--quiet', '--message', 'lines');
  }

  function git(...args: readonly string[]): void {
    execFileSync('git', args, { cwd: folder });
  }

  function lines(flag: string): string {
    const { stdout, stderr } = spawnSync(process.execPath, ['scripts/lines.ts', flag], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout + stderr;
  }
});
