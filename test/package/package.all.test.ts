// What is published, as a person gets it: built and packed from the sources, started by npx in an empty folder, with no
// network and nothing else installed.
import { execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { page, startScriptedSite, type Answer, type ScriptedSite } from '../e2e/scripted-site.ts';
import { connectOverStdio } from '../mcp/clients.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { docx, epub, pdf, pptx, shape, wordParagraph, xlsx } from '../files/make-files.ts';

const missing = await postgresMissing();
const root = path.join(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-package-'));
const empty = mkdtempSync(path.join(tmpdir(), 'hayrake-empty-'));
// Of the npm that runs the tests nothing is passed on; what it has downloaded before is not there.
const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|HAYRAKE_|NODE_)/i.test(name));
const env = { ...Object.fromEntries(inherited), npm_config_cache: path.join(folder, 'npm') };

const office = 'application/vnd.openxmlformats-officedocument.';
const files: Readonly<Record<string, { readonly type: string; readonly body: Uint8Array; readonly says: string }>> = {
  '/a.pdf': { type: 'application/pdf', body: pdf([['Text of the report.']]), says: 'Text of the report.' },
  '/a.docx': {
    type: `${office}wordprocessingml.document`,
    body: docx({ body: wordParagraph('Text of the letter.') }),
    says: 'Text of the letter.',
  },
  '/a.xlsx': {
    type: `${office}spreadsheetml.sheet`,
    body: xlsx({ Data: '<row><c t="inlineStr"><is><t>Name</t></is></c><c><v>7</v></c></row>' }),
    says: '| Name | 7 |',
  },
  '/a.pptx': {
    type: `${office}presentationml.presentation`,
    body: pptx([shape('title', ['A slide'])]),
    says: '## A slide',
  },
  '/a.epub': { type: 'application/epub+zip', body: epub(['<p>A chapter.</p>']), says: 'A chapter.' },
};

let site: ScriptedSite;
let tarball: string;
let version: string;

beforeAll(async () => {
  site = await startScriptedSite((asked): Answer => {
    if (asked === '/') return page('/', ['/p/1', ...Object.keys(files)]);
    const file = files[asked];
    if (file) return { headers: { 'content-type': file.type }, body: file.body };
    return asked === '/p/1' ? page(asked) : undefined;
  });
  await promisify(execFile)('npm', ['pack', '--pack-destination', folder], { cwd: root, env });
  // A path alone npx takes for a program.
  tarball = `file:${path.join(folder, `hayrake-${packageJson(root).version}.tgz`)}`;
  version = (await npx('--version')).trim();
});

afterAll(async () => {
  await site?.close();
  for (const directory of [folder, empty]) rmSync(directory, { recursive: true, force: true });
});

test('npx crawls a site with linked files in an empty folder, and serves it', async () => {
  const out = await npx('crawl', `${site.origin}/`, '--files', '--json', '--allow-private', '127.0.0.1/32');
  const pages = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { meta: { url: string }; text: string });
  const texts = Object.fromEntries(pages.map(({ meta, text }) => [new URL(meta.url).pathname, text]));
  expect(Object.keys(texts).toSorted()).toEqual(['/', ...Object.keys(files), '/p/1'].toSorted());
  for (const [name, { says }] of Object.entries(files)) expect(texts[name]).toContain(says);

  expect(await npx('scrape', `${site.origin}/p/1`, '--allow-private', '127.0.0.1/32')).toContain(
    'This is what /p/1 has to say.',
  );
  await expectToServe();
});

test('npx gives agents its tools over standard input and output in an empty folder', async () => {
  const agents = await connectOverStdio(['--allow-private', '127.0.0.1/32'], {
    program: ['npx', '--yes', '--offline', tarball],
    cwd: empty,
    env: { npm_config_cache: env.npm_config_cache },
  });
  try {
    const { tools } = await agents.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('crawl_start');
    const scraped = await agents.call('scrape', { url: `${site.origin}/a.pdf` });
    expect([scraped.isError, scraped.text]).toEqual([false, expect.stringContaining('Text of the report.')]);
    const [, job = ''] = /Job (\w{26})/.exec((await agents.call('crawl_start', { url: `${site.origin}/` })).text) ?? [];
    expect((await agents.call('crawl_status', { job, wait: 50 })).text).toContain('succeeded');
    expect((await agents.call('search', { job, q: 'say' })).text).toContain('/p/1');
  } finally {
    await agents.close();
  }
});

test('the program starts without its package.json, and the package has the files to deploy it', async () => {
  await promisify(execFile)('tar', ['-xzf', tarball.slice('file:'.length), '-C', folder]);
  const unpacked = path.join(folder, 'package');
  expect(readdirSync(path.join(unpacked, 'deploy'))).toContain('Containerfile');
  expect(statSync(tarball.slice('file:'.length)).size).toBeLessThan(5_000_000);
  rmSync(path.join(unpacked, 'package.json'));
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(unpacked, 'dist/main.js'), '--version'], {
    env,
  });
  expect(stdout.trim()).toBe(version);
});

test.skipIf(missing !== undefined)(
  'it takes what it has crawled along to PostgreSQL, and serves that (needs PostgreSQL)',
  async () => {
    const options = '--json --limit 1 --data moved --allow-private 127.0.0.1/32'.split(' ');
    await npx('crawl', `${site.origin}/p/1`, ...options);
    const database = await createTestDatabase();
    try {
      const settings = { HAYRAKE_DATABASE_URL: database.url };
      const [head = '', ...tables] = (await npxWith(settings, 'migrate', '--from', 'moved')).trim().split('\n');
      expect(head).toContain('PostgreSQL');
      expect(tables.find((line) => line.startsWith('page '))).toMatch(/^page +1 +1 +(\w{16}) +\1$/);
      expect(await npxWith(settings, 'jobs')).toMatch(/ succeeded +\S+ +1 +0 +0 /);
      await expectToServe(settings);
    } finally {
      await database.remove();
    }
  },
);

test('it brings everything with it, and the licences of all of that', () => {
  const [installed = ''] = readdirSync(path.join(folder, 'npm/_npx'));
  const modules = path.join(folder, 'npm/_npx', installed, 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['hayrake']);
  expect(packageJson(path.join(modules, 'hayrake')).dependencies).toBeUndefined();
  expect(version).toBe(packageJson(root).version);

  const dist = path.join(modules, 'hayrake/dist');
  const code = readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(path.join(dist, name), 'utf8'));
  // Before each module the bundler writes where it is from.
  const bundled = new Set(
    code.flatMap((text) =>
      [...text.matchAll(/^ *\/\/ .*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm)].map(([, name = '']) => name),
    ),
  );
  expect(bundled.size).toBeGreaterThan(50);
  const licences = readFileSync(path.join(dist, 'LICENSES.txt'), 'utf8');
  const named = new Set(
    [...licences.matchAll(/^=+\n(\S+) [\d.]+, (?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2.0)\n=+\n\n\S/gm)].map(
      ([, name]) => name,
    ),
  );
  expect([...bundled].filter((name) => !named.has(name))).toEqual([]);
  const { components } = JSON.parse(readFileSync(path.join(dist, 'sbom.cdx.json'), 'utf8')) as {
    readonly components: readonly { readonly name: string; readonly purl: string }[];
  };
  expect(new Set(components.map(({ name }) => name))).toEqual(named);
});

test.skipIf(process.platform !== 'linux')(
  'package: has the same bytes when another folder, zone and language made it (needs Linux)',
  async () => {
    // Beside the sources, so that packages can be linked instead of copied.
    const copy = mkdtempSync(`${root}-copy-`);
    try {
      const { stdout } = await promisify(execFile)('git', ['ls-files'], { cwd: root });
      for (const file of stdout
        .trim()
        .split('\n')
        .filter((name) => existsSync(path.join(root, name))))
        cpSync(path.join(root, file), path.join(copy, 'deeper', file));
      const modules = path.join(copy, 'deeper/node_modules');
      await promisify(execFile)('cp', ['-al', path.join(root, 'node_modules'), modules]);
      await promisify(execFile)('npm', ['pack', '--pack-destination', copy], {
        cwd: path.join(copy, 'deeper'),
        env: { ...env, TZ: 'Asia/Tokyo', LANG: 'tr_TR.UTF-8' },
      });
      const hashOf = (file: string): string => hash('sha256', readFileSync(file));
      expect(hashOf(path.join(copy, path.basename(tarball)))).toBe(hashOf(tarball.slice('file:'.length)));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  },
);

/** What the packed program writes to standard output. */
function npx(...args: readonly string[]): Promise<string> {
  return npxWith({}, ...args);
}

async function npxWith(settings: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npx', ['--yes', '--offline', tarball, ...args], {
    cwd: empty,
    env: { ...env, ...settings },
  });
  return stdout;
}

async function expectToServe(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  const service = spawn('npx', ['--yes', '--offline', tarball, 'serve', '--port', '0', '--log-level', 'warn'], {
    cwd: empty,
    env: { ...env, ...settings },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(service, 'exit');
  try {
    let said = '';
    for await (const text of service.stdout.setEncoding('utf8')) {
      said += text as string;
      if (said.includes('openapi.json')) break;
    }
    const [, origin = ''] = /API +(http:\S+)\/crawler\/jobs/.exec(said) ?? [];
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  } finally {
    // npx, the shell that it starts, and the service.
    if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
    await ended;
  }
}

function packageJson(directory: string): { version: string; dependencies?: unknown } {
  return JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as { version: string };
}
