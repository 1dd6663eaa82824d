// The code of docs/clients.md and of the README of the Python client, taken from there and run as a reader would; the Python
// client as the tools of Python see it: its types, its installation, the oldest version that can read it.
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleClient } from '../../scripts/bundle-client.ts';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { operatorToken, startService, type TestService } from '../service/start-service.ts';
import { python } from './python.ts';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
const pages = 12;
const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-client-documents-'));
const works = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;
const hasMypy = works('mypy', '--version');
// Debian's own: others have no setuptools, and nothing is downloaded here.
const debian = '/usr/bin/python3';
const canInstall = works(debian, '-c', 'import ensurepip, setuptools, wheel');

let site: GeneratedSite;
let service: TestService;

beforeAll(async () => {
  const [started, serving, { contents }] = await Promise.all([
    startGeneratedSite({ pages, delayMs: 1 }),
    startService(),
    bundleClient(),
  ]);
  [site, service] = [started, serving];
  writeFileSync(path.join(folder, 'client.mjs'), contents);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([site?.close(), service?.close()]);
});

function blocks(document: string, language: string): string[] {
  const text = readFileSync(path.join(root, document), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code);
}

/** With the addresses and the token of this test, each of which has to be there. */
function forThisTest(code: string): string {
  const own = [
    ['http://127.0.0.1:8380', service.origin],
    ['hr_...', operatorToken],
    ['https://example.com', `${site.origin}/`],
  ] as const;
  for (const [shown] of own) expect(code).toContain(shown);
  return own.reduce((text, [shown, real]) => text.replaceAll(shown, real), code);
}

function expectPages(stdout: string): void {
  const urls = stdout
    .trim()
    .split('\n')
    .map((line) => /^(\S+) \d+$/.exec(line)?.[1]);
  expect(urls).toContain(`${site.origin}/`);
  expect(new Set(urls).size).toBe(pages);
}

test('the TypeScript of docs/clients.md crawls and reads', async () => {
  const examples = blocks('docs/clients.md', 'ts');
  expect(examples).toHaveLength(1);
  for (const [index, code] of examples.entries()) {
    const file = path.join(folder, `example-${index}.mts`);
    writeFileSync(file, forThisTest(code).replaceAll("'hayrake/client'", "'./client.mjs'"));
    expectPages((await run(process.execPath, [file])).stdout);
  }
});

const pythonExamples = ['docs/clients.md', 'clients/python/README.md'];

describe.skipIf(python === undefined)('the Python client (needs python3)', () => {
  const environment = { ...process.env, PYTHONPATH: path.join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };

  test.each(pythonExamples)('the code of %s crawls and reads', async (document) => {
    const examples = blocks(document, 'python');
    expect(examples).toHaveLength(1);
    for (const code of examples)
      expectPages((await run(python ?? '', ['-c', forThisTest(code)], { env: environment })).stdout);
  });

  test('Python 3.9 can read all of it', async () => {
    const script = `import ast, pathlib, sys
files = list(pathlib.Path(sys.argv[1]).rglob("*.py"))
for file in files:
    ast.parse(file.read_text(), str(file), feature_version=(3, 9))
print(len(files))`;
    const { stdout } = await run(python ?? '', ['-c', script, path.join(root, 'clients/python')]);
    expect(Number(stdout)).toBeGreaterThan(8);
  });

  test.skipIf(!hasMypy)('mypy accepts it, and the code that uses it (needs mypy)', { timeout: 600_000 }, async () => {
    const own = pythonExamples.map((document, index) => {
      const file = path.join(folder, `example_${index}.py`);
      writeFileSync(file, blocks(document, 'python').join('\n'));
      return file;
    });
    const wrong = path.join(folder, 'wrong.py');
    writeFileSync(wrong, 'from hayrake import Hayrake\n\nHayrake().crawl("https://example.com", page_limit="many")\n');
    const flags = ['--enable-incomplete-feature=Unpack', '--cache-dir', path.join(folder, 'mypy')];
    const options = { env: { ...environment, MYPYPATH: environment.PYTHONPATH } };
    // JSON has no types until it is checked: what the service answers is trusted to be what its schema says.
    const strict = ['--strict', '--no-warn-return-any', '--ignore-missing-imports'];
    await run('mypy', [...flags, ...strict, path.join(environment.PYTHONPATH, 'hayrake'), ...own], options);
    await expect(run('mypy', [...flags, '--strict', '--no-warn-return-any', wrong], options)).rejects.toMatchObject({
      stdout: expect.stringContaining('page_limit') as string,
    });
  });

  test.skipIf(!canInstall)(
    'pip installs it, with its types (needs python3-venv, python3-setuptools, python3-wheel)',
    { timeout: 600_000 },
    async () => {
      const source = path.join(folder, 'source');
      const venv = path.join(folder, 'venv');
      // Beside its source, a build leaves files.
      cpSync(path.join(root, 'clients/python'), source, { recursive: true });
      await run(debian, ['-m', 'venv', '--system-site-packages', venv]);
      const flags = ['install', '--no-index', '--no-deps', '--no-build-isolation', '--disable-pip-version-check'];
      await run(path.join(venv, 'bin/pip'), [...flags, source]);
      const script =
        'import hayrake, pathlib; print(*(file.name for file in pathlib.Path(hayrake.__file__).parent.iterdir()))';
      const { stdout } = await run(path.join(venv, 'bin/python'), ['-c', script], { cwd: folder });
      expect(stdout.split(/\s+/)).toEqual(expect.arrayContaining(['aio.py', 'client.py', 'py.typed', 'types.py']));
    },
  );
});
