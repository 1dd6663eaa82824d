// Documents are tested: what they tell a person to type exists, and where they point there is something.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { startDemoSite } from '../demo/site.ts';
import { runProgram } from '../src/start/program.ts';

const root = path.join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];
const readme = read('README.md');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };

/** Lines of the shell blocks of a document. */
const shellLines = [...readme.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
/** Whatever is set as code. */
const codeOf = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code).concat(shellLines);

describe('documents and deploy files', () => {
  const deployFiles = readdirSync(path.join(root, 'deploy')).map((name) => path.join('deploy', name));
  const byName = /\b(?:npm (?:pack|install|i|exec)|npx|pip install)(?: -\S+)* ["']?hayrake(?![\w/-]*[.]tgz)/u;

  test.each([
    'npm pack hayrake',
    'npx --yes hayrake serve',
    'npm install --global hayrake',
    'pip install "hayrake[x]"',
  ])('pattern of package names: finds %s', (line) => expect(line).toMatch(byName));

  test.each([...documents, ...deployFiles])(
    '%s: takes no package by the name hayrake, which is not registered',
    (name) => expect(read(name)).not.toMatch(byName),
  );
});

describe('the README', () => {
  test('has its two set-up lines word for word', () => {
    expect(shellLines).toContain('npm ci && npm run demo');
    expect(shellLines).toContain('npm ci && npm test');
  });

  test('names npm scripts that exist', () => {
    const named = codeOf(readme).flatMap((code) =>
      [...code.matchAll(/npm (?:run )?(?:-s )?([\w:-]+)/g)].map(([, name = '']) => name),
    );
    const own = new Set(['ci', 'install', 'pack', 'run']);
    expect(named.length).toBeGreaterThan(3);
    for (const name of named.filter((script) => !own.has(script))) expect(Object.keys(scripts)).toContain(name);
  });

  test.each(['demo', 'hayrake', 'test', 'bench', 'sites'])('npm run %s starts a file that exists', (name) => {
    const file = /\S+\.ts\b/.exec(scripts[name] ?? '')?.[0];
    expect(existsSync(path.join(root, file ?? 'no file'))).toBe(true);
  });

  test('names commands and flags that the program has', async () => {
    // In this process: twenty others would take seconds of processor time. Each command listens for errors of its output.
    for (const output of [process.stdout, process.stderr]) output.setMaxListeners(100);
    const help = async (command: string): Promise<string> => {
      const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      try {
        await runProgram([command, '--help', 'all']);
        return written.mock.calls.map(([text]) => String(text)).join('');
      } finally {
        written.mockRestore();
      }
    };
    const code = documents.flatMap((name) => codeOf(read(name)));
    const named = code.flatMap((line) => /^(?:npm run -s )?hayrake (?:-- )?([a-z][a-z-]*)/.exec(line)?.[1] ?? []);
    expect(named).toEqual(expect.arrayContaining(['crawl', 'serve']));
    const all: string[] = [];
    for (const command of new Set(named)) {
      all.push(await help(command));
      expect(all.at(-1)).toContain(`Usage: hayrake ${command}`);
    }
    const ownCode = codeOf(readme).filter((code) => !/^(?:docker|systemctl|journalctl|npm ci) /u.test(code));
    const flags = ownCode.flatMap((code) => [...code.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag));
    const ofOthers = new Set(['--keep', '--global', '--yes', '--target']);
    for (const flag of flags.filter((name) => !ofOthers.has(name))) expect(all.join('\n')).toContain(flag);
  });
});

test('lines of the documents that crawl write nothing but results to a pipe', async () => {
  const lines = documents
    .flatMap((name) => [...read(name).matchAll(/npm run [^`\n]*hayrake -- crawl https:\/\/example\.com/g)])
    .map(([line]) => line);
  expect(lines).toHaveLength(2);
  const [site, directory] = [await startDemoSite(), mkdtempSync(path.join(tmpdir(), 'hayrake-readme-'))];
  try {
    for (const line of new Set(lines)) {
      const crawl = line.replace('https://example.com', `${site.origin}/`);
      const { stdout } = await promisify(execFile)(
        'sh',
        ['-c', `${crawl} --json --limit 3 --allow-private 127.0.0.1/32 | cat`],
        { cwd: root, env: { ...process.env, HAYRAKE_DATA: directory } },
      );
      const pages = stdout
        .trim()
        .split('\n')
        .map((json) => JSON.parse(json) as object);
      expect(pages).toHaveLength(3);
      for (const page of pages) expect(page).toHaveProperty('text');
    }
  } finally {
    rmSync(directory, { recursive: true });
    await site.close();
  }
});

test('.ci/run installs what tests can use, runs the whole check, and nothing else', () => {
  const commands = read('.ci/run')
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) =>
        line !== '' &&
        !/^(#|set |cd |if |fi$|(apt-get update|DEBIAN_FRONTEND=noninteractive apt-get install) )/.test(line),
    );
  expect(commands).toEqual([
    'install_packages() {',
    '}',
    'install_others() {',
    'npm ci --prefix bench',
    'npm ci --ignore-scripts --prefix test/doors',
    'npm ci --ignore-scripts --prefix test/programs',
    'npm ci --ignore-scripts --prefix test/runtimes',
    '}',
    'install_packages & packages=$!',
    'install_others & others=$!',
    'npm ci',
    'npm exec node test/doors/fetch-published.ts',
    'wait "$packages"',
    'wait "$others"',
    'npm run test:all',
  ]);
});

test.each(documents)('%s points only to what exists', (name) => {
  const text = read(name).replaceAll(/```[^]*?```/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
  expect(targets.filter((target) => !exists(name, target))).toEqual([]);
});

function exists(document: string, target: string): boolean {
  const [file = '', part] = target.split('#');
  const whole = file === '' ? path.join(root, document) : path.resolve(root, path.dirname(document), file);
  return existsSync(whole) && (part === undefined || anchorsOf(readFileSync(whole, 'utf8')).includes(part));
}

/** As code hosts make them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the OpenAPI document', () => {
  interface Schema {
    readonly description?: string;
    readonly $ref?: string;
    readonly properties?: Readonly<Record<string, Schema>>;
  }
  const { components } = JSON.parse(read('docs/openapi.json')) as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };

  test.each(['Job', 'Progress', 'Finding'])(
    '%s: says of every field what it means, and of every time its unit',
    (name) => {
      const fields = Object.entries(components.schemas[name]?.properties ?? {});
      expect(fields.length).toBeGreaterThan(4);
      const without = fields.filter(([, { description, $ref }]) => description === undefined && $ref === undefined);
      expect(without.map(([field]) => field)).toEqual([]);
      const times = fields.filter(([field]) => /[a-z]At$/u.test(field));
      const withoutUnit = times.filter(
        ([, { description }]) => description?.includes('milliseconds since the epoch') !== true,
      );
      expect(withoutUnit.map(([field]) => field)).toEqual([]);
    },
  );
});
