// Every line of docs/recipes.md, run against a site on this machine.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConnectProxy, startSite } from './egress/connect-proxy.ts';
import { mainModule } from './main-module.ts';
import { anyS3, startS3 } from './objects/s3-servers.ts';
import { createTestDatabase, postgresMissing } from './postgres/test-database.ts';
import { startService } from './service/start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './service/test-site.ts';

const recipes = readFileSync(path.join(import.meta.dirname, '../docs/recipes.md'), 'utf8');
/** The code of a block below a heading. */
function codeOf(heading: string, block = 0): string {
  const [, part = ''] = recipes.split(`\n## ${heading}\n`);
  return [...(part.split('\n## ')[0] ?? '').matchAll(/^```\w+\n([^]*?)^```/gmu)][block]?.[1] ?? '';
}

let site: TestSite;
let directory: string;
const seen: string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'hayrake-recipes-'));
  writeFileSync(path.join(directory, 'hayrake'), `#!/bin/sh\nexec "${process.execPath}" "${mainModule}" "$@"\n`, {
    mode: 0o755,
  });
  const page = htmlPage({ title: 'Home', text: 'The home page of a small site.', links: ['/about'] });
  site = await startTestSite();
  site.add({
    '/': ({ headers }, response) => {
      seen.push(`${headers.authorization ?? ''}|${headers.cookie ?? ''}|${headers['user-agent'] ?? ''}`);
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    },
    '/about': htmlPage({ title: 'About', text: 'Who we are.' }),
  });
});
afterAll(async () => {
  await site.close();
  rmSync(directory, { recursive: true });
});

async function run(heading: string, replaced: Readonly<Record<string, string>> = {}): Promise<void> {
  const shell = Object.entries({
    'https://example.com': site.origin,
    'https://NAME:PASSWORD@example.com': site.origin.replace('//', '//NAME:PASSWORD@'),
    ...replaced,
  }).reduce((code, [from, to]) => code.replaceAll(from, to), codeOf(heading));
  expect(shell).not.toBe('');
  await promisify(execFile)('sh', ['-e', '-c', shell], {
    cwd: directory,
    env: environment(),
  });
}

function environment(): Record<string, string> {
  return {
    HOME: directory,
    PATH: `${directory}:${process.env['PATH'] ?? ''}`,
    HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8',
    HAYRAKE_BROWSER: 'off',
  };
}

test('recipe behind a login: sends what each line gives', { timeout: 120_000 }, async () => {
  await run('Behind a login');
  const basic = `Basic ${Buffer.from('NAME:PASSWORD').toString('base64')}`;
  for (const sent of [`${basic}||`, 'Bearer SECRET||', '|session=SECRET|'])
    expect(seen.filter((one) => one.startsWith(sent))).not.toEqual([]);
});

test('recipe every night: there is a schedule', { timeout: 120_000 }, async () => {
  await run('Every night', { 'schedule list': 'schedule list > schedules' });
  expect(readFileSync(path.join(directory, 'schedules'), 'utf8')).toContain('0 3 * * *  Europe/Berlin  next ');
});

test('recipe users and tokens: there are two of an org', { timeout: 120_000 }, async () => {
  await run('Users and tokens', { 'token list': 'token list > tokens' });
  expect(readFileSync(path.join(directory, 'tokens'), 'utf8').match(/ sales /gu)).toHaveLength(2);
});

test('recipe raw HTML: writes the HTML as sent', { timeout: 120_000 }, async () => {
  await run('Raw HTML');
  const host = readdirSync(path.join(directory, 'pages')).find((name) => name.endsWith('.source')) ?? '';
  expect(readFileSync(path.join(directory, 'pages', host, 'about.html'), 'utf8')).toContain('<title>About</title>');
});

test('recipe a price as JSON: has it for the page that has one', { timeout: 120_000 }, async () => {
  const page = '<h1>Lamp</h1><p>A lamp of steel.</p><dl><dt>Price</dt><dd>49.90 €</dd></dl>';
  site.add({ '/shop': `<!doctype html><meta charset="utf-8"><title>Lamp</title><main>${page}</main>` });
  await run('A price as JSON', { 'https://example.com/shop': `${site.origin}/shop/lamp` });
  const [line = ''] = readFileSync(path.join(directory, 'records.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({ extracted: { name: 'Lamp', price: { amount: 49.9, currency: 'EUR' } } });
});

test('recipe 1 GB of memory: crawls with what follows from the number', { timeout: 120_000 }, async () => {
  await run('1 GB of memory');
  expect(readFileSync(path.join(directory, 'settings.txt'), 'utf8')).toMatch(
    /^HAYRAKE_MEMORY_MB +1024 +environment$/mu,
  );
  expect(existsSync(path.join(directory, 'small'))).toBe(true);
});

test('recipe law and contact: the site learns who crawls', { timeout: 120_000 }, async () => {
  await run('Law and contact');
  expect(seen.at(-1)).toContain('(+crawl@example.org)');
});

test('recipes that read the last job, and keep the data', { timeout: 240_000 }, async () => {
  const received: string[] = [];
  const engine = createServer((request, response) => {
    let body = '';
    request
      .on('data', (part) => (body += String(part)))
      .on('end', () => {
        received.push(...body.trim().split('\n'));
        response.end('{}');
      });
  });
  engine.listen(0, '127.0.0.1');
  await once(engine, 'listening');
  // The last job.
  await run('Law and contact');
  await run('Into a search engine', {
    'http://127.0.0.1:7700': `http://127.0.0.1:${(engine.address() as AddressInfo).port}`,
  });
  expect(received).toHaveLength(2);
  expect(JSON.parse(received[0] ?? '')).toMatchObject({ meta: { page: 1 }, text: expect.any(String) });
  await run('Into a vector store');
  const [chunk = ''] = readFileSync(path.join(directory, 'chunks.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(chunk)).toMatchObject({
    meta: { url: `${site.origin}/` },
    text: expect.stringContaining('home page'),
  });
  await run('Feeding an agent');
  expect(readFileSync(path.join(directory, 'llms-full.txt'), 'utf8')).toContain('The home page of a small site.');
  const kept = readFileSync(path.join(directory, 'pages.jsonl'), 'utf8');
  await run('One page erased');
  await run('Into a search engine', {
    'http://127.0.0.1:7700': `http://127.0.0.1:${(engine.address() as AddressInfo).port}`,
  });
  engine.close();
  const left = readFileSync(path.join(directory, 'pages.jsonl'), 'utf8');
  expect([kept, left].map((lines) => lines.includes('/about"'))).toEqual([true, false]);
  await run('Upgrading', { 'npm install --global ./hayrake-0.2.0.tgz': ':' });
  expect(existsSync(path.join(directory, 'before.backup'))).toBe(true);
});

const s3 = anyS3();

test.skipIf(s3 === undefined)(
  'recipe into S3: the raw bodies are in the bucket, and come back (needs python3-swift or radosgw)',
  { timeout: 240_000 },
  async () => {
    const server = await startS3(s3!);
    try {
      await run('Into S3', {
        's3://crawls': `s3://${await server.createBucket()}`,
        'https://minio.example:9000': server.endpoint,
        AKIAEXAMPLE: server.accessKeyId,
        'ACCESS_KEY=SECRET': `ACCESS_KEY=${server.secretAccessKey} HAYRAKE_DATA=./in-s3`,
        'hayrake check': 'hayrake check 2> checked.txt',
      });
    } finally {
      await server.stop();
    }
    expect(readFileSync(path.join(directory, 'checked.txt'), 'utf8')).toMatch(
      /Objects outside the database: [1-9]\d*, of which 0 missing/u,
    );
    const warc = gunzipSync(readFileSync(path.join(directory, 'site.warc.gz'))).toString();
    expect(warc).toContain('<title>About</title>');
  },
);

test('recipe through a proxy: every connection goes there', { timeout: 120_000 }, async () => {
  const behind = await startSite((_, response) =>
    response.setHeader('content-type', 'text/html').end(htmlPage({ text: 'Behind the proxy.' })),
  );
  const proxy = await startConnectProxy(behind.tunnel);
  await run('Through a proxy', { 'http://127.0.0.1:3128': `http://127.0.0.1:${proxy.port}` });
  await Promise.all([proxy.close(), behind.close()]);
  expect(new Set(proxy.lines)).toEqual(new Set([`CONNECT ${new URL(site.origin).host} HTTP/1.1`]));
});

const folders = (process.env['PATH'] ?? '').split(':').concat('/usr/sbin');
const isInstalled = (program: string): boolean => folders.some((one) => existsSync(path.join(one, program)));

async function freePort(): Promise<number> {
  const free = createServer();
  await once(free.listen(0, '127.0.0.1'), 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  return port;
}

/** How each is started with the block of the recipe, in front of a service. */
const fronts = {
  nginx: (block: string, port: number, origin: string): string[] => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${directory}/${name};`,
    );
    const key = `${directory}/key.pem`;
    const certificate = `${directory}/certificate.pem`;
    execFileSync(
      'openssl',
      ['req', '-x509', '-nodes', '-subj', '/CN=crawl.example', '-keyout', key, '-out', certificate],
      { stdio: 'ignore' },
    );
    const secure = codeOf('Behind nginx', 1)
      .replace('listen 443', `listen 127.0.0.1:${port + 1}`)
      .replace(/\/etc\S+fullchain[.]pem/u, certificate)
      .replace(/\/etc\S+privkey[.]pem/u, key);
    const server = block
      .replace('http://127.0.0.1:8380', origin)
      .replace('listen 8080;', `listen 127.0.0.1:${port};\n${secure}`);
    const config = path.join(directory, 'nginx.conf');
    writeFileSync(
      config,
      `daemon off; pid ${directory}/nginx.pid; error_log ${directory}/error.log;\nevents {}\nhttp { access_log off; ${temporary.join(' ')}\n${server}}\n`,
    );
    return ['-c', config, '-e', `${directory}/error.log`];
  },
  caddy: (block: string, port: number, origin: string): string[] => {
    const config = path.join(directory, 'Caddyfile');
    const site = block
      .replace('127.0.0.1:8380', new URL(origin).host)
      .replace('crawl.example', `http://127.0.0.1:${port}, http://crawl.example:${port}`);
    writeFileSync(config, `{\n  admin off\n}\n${site}`);
    return ['run', '--adapter', 'caddyfile', '--config', config];
  },
} as const;

test.each([
  ['nginx', 'Behind nginx'],
  ['caddy', 'Behind Caddy'],
] as const)(
  'recipe behind %s: passes requests on to a service (needs nginx and caddy)',
  { timeout: 120_000, skip: !isInstalled('nginx') || !isInstalled('caddy') },
  async (program, heading) => {
    const service = await startService();
    const port = await freePort();
    const front = spawn(program, fronts[program](codeOf(heading), port, service.origin), {
      env: { HOME: directory, PATH: folders.join(':') },
    });
    const ask = async (where: string): Promise<number> => {
      const headers = { host: 'crawl.example', authorization: `Bearer ${service.token}` };
      return (await fetch(`http://127.0.0.1:${port}${where}`, { headers })).status;
    };
    try {
      await expect.poll(() => ask('/readyz').catch(() => 0), { timeout: 60_000 }).toBe(200);
      expect(await ask('/crawler/jobs')).toBe(200);
      if (program !== 'nginx') return;
      const [answer] = (await once(
        get({ port: port + 1, path: '/healthz', headers: { host: 'crawl.example' }, rejectUnauthorized: false }),
        'response',
      )) as [IncomingMessage];
      expect(answer.statusCode).toBe(200);
      answer.destroy();
    } finally {
      front.kill();
      await once(front, 'close');
      await service.close();
    }
  },
);

const missing = await postgresMissing();

test.skipIf(missing !== undefined)(
  'recipe three machines: a job of the API is crawled by the worker that is left (needs PostgreSQL)',
  { timeout: 240_000 },
  async () => {
    const database = await createTestDatabase();
    const lines = codeOf('Three machines')
      .replace(/postgres:\S+/u, database.url)
      .replace('--host 0.0.0.0', '--host 0.0.0.0 --port 0')
      .trim()
      .split('\n');
    const [shared, machines] = [lines.slice(0, 2).join('\n'), lines.slice(2)];
    const started = machines.map((line) => startMachine(`${shared}\nexec ${line}`));
    const [api, first, second] = started;
    try {
      const [, origin = ''] = await api!.says(/API +(http:\S+)\/crawler\/jobs/u);
      await Promise.all([first!.says(/worker/u), second!.says(/worker/u)]);
      first!.child.kill('SIGKILL');
      const ask = async (where: string, init: RequestInit = {}): Promise<{ id: string; status: string }> => {
        const headers = {
          authorization: `Bearer ${/TOKEN=(\S+)/u.exec(shared)?.[1] ?? ''}`,
          'content-type': 'application/json',
        };
        const response = await fetch(`${origin.replace('0.0.0.0', '127.0.0.1')}/crawler/jobs${where}`, {
          ...init,
          headers,
        });
        return (await response.json()) as { id: string; status: string };
      };
      const { id } = await ask('', { method: 'POST', body: JSON.stringify({ urls: [`${site.origin}/`] }) });
      await expect.poll(async () => (await ask(`/${id}`)).status, { timeout: 120_000 }).toBe('succeeded');
      expect(await ask(`/${id}`)).toMatchObject({ progress: { scraped: 2 } });
    } finally {
      for (const { child, closed } of started) {
        child.kill('SIGKILL');
        await closed;
      }
      await database.remove();
    }
  },
);

interface Machine {
  readonly child: ChildProcess;
  readonly closed: Promise<unknown>;
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

function startMachine(shell: string): Machine {
  const child = spawn('sh', ['-e', '-c', shell], {
    cwd: directory,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const closed = once(child, 'close');
  return {
    child,
    closed,
    says: async (pattern) => {
      await expect.poll(() => pattern.test(said) || child.exitCode !== null, { timeout: 120_000 }).toBe(true);
      const match = pattern.exec(said);
      if (match === null) throw new Error(`it ended with:\n${said}`);
      return match;
    },
  };
}
