// The published module in other runtimes than the Node of the tests: a browser, and Deno and Bun where they are installed.
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleClient } from '../../scripts/bundle-client.ts';
import { findBrowser } from '../../src/render/find-browser.ts';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { operatorToken, startService, type TestService } from '../service/start-service.ts';

const pages = 20;
const runtimesFolder = path.join(import.meta.dirname, '../runtimes');
const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-runtimes-'));
const binary = findBrowser('auto');
/** Of this machine, or from `npm ci --prefix test/runtimes`, which installs their programs and runs none of their scripts. */
const find = (name: string): string | undefined =>
  [name, ...globSync(`node_modules/@{deno,oven}/*/{bin/,}${name}`, { cwd: runtimesFolder })]
    .map((found) => (found === name ? name : path.join(runtimesFolder, found)))
    .find((program) => spawnSync(program, ['--version']).status === 0);
const deno = find('deno');
const bun = find('bun');
if (binary === undefined) console.warn('The client is not tested in a browser: install chromium-headless-shell.');

let site: GeneratedSite;
let service: TestService;
let module: Uint8Array;

beforeAll(async () => {
  [site, service, { contents: module }] = await Promise.all([
    startGeneratedSite({ pages, delayMs: 1 }),
    startService(),
    bundleClient(),
  ]);
  writeFileSync(path.join(folder, 'client.mjs'), module);
  writeFileSync(
    path.join(folder, 'crawl.mjs'),
    `import { Hayrake } from './client.mjs';
const client = new Hayrake();
const job = await client.crawl(${JSON.stringify(`${site.origin}/`)});
let count = 0;
for await (const page of client.pages(job)) if (page.meta.page === count + 1) count++;
const code = await client.job('7ZSA4YN8XEM0V3T2K9QJ5RCWBD').catch((error) => error.code);
const file = await (await client.export(job, 'jsonl')).text();
console.log(JSON.stringify({ count, code, lines: file.trim().split('\\n').length }));`,
  );
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([site?.close(), service?.close()]);
});

const runtimes = [
  { name: 'Node', command: [process.execPath], isMissing: false },
  { name: 'Deno', command: [deno ?? '', 'run', '--allow-env', '--allow-net'], isMissing: deno === undefined },
  { name: 'Bun', command: [bun ?? '', 'run'], isMissing: bun === undefined },
];
for (const { name, command, isMissing } of runtimes) {
  const hint = isMissing ? ' (needs `npm ci --ignore-scripts --prefix test/runtimes`)' : '';
  test.skipIf(isMissing)(`a crawl in ${name}${hint}`, async () => {
    const [program = '', ...args] = command;
    const env = { ...process.env, HAYRAKE_URL: service.origin, HAYRAKE_TOKEN: operatorToken };
    const { stdout } = await promisify(execFile)(program, [...args, path.join(folder, 'crawl.mjs')], { env });
    expect(JSON.parse(stdout)).toEqual({ count: pages, code: 'job_not_found', lines: pages });
  });
}

test.skipIf(binary === undefined)('a crawl in a browser (needs a browser)', async () => {
  // As an application serves it: its own page, and the API below a path.
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request;
    if (url === '/client.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(module);
    else if (!url.startsWith('/api/')) response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    else {
      const target = { host: '127.0.0.1', port: service.port, path: url.slice(4), method, headers };
      const passed = httpRequest(
        { ...target, headers: { ...headers, host: `127.0.0.1:${service.port}` } },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      request.pipe(passed);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({ ...(binary !== undefined && { executablePath: binary }) });
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    const seen = await page.evaluate(
      `(async () => {
        const { Hayrake } = await import('/client.js');
        const client = new Hayrake({ url: ${JSON.stringify(`${origin}/api/`)}, token: ${JSON.stringify(operatorToken)} });
        const job = await client.crawl(${JSON.stringify(`${site.origin}/`)});
        let count = 0;
        for await (const page of client.pages(job)) if (page.meta.page === count + 1) count++;
        const code = await client.job('7ZSA4YN8XEM0V3T2K9QJ5RCWBD').catch((error) => error.code);
        const lines = (await (await client.export(job, 'jsonl')).text()).trim().split('\\n').length;
        const outside = await new Hayrake({ url: ${JSON.stringify(site.origin)} }).job(job).catch((error) => error.code);
        return { count, code, lines, outside };
      })()`,
    );
    expect(seen).toEqual({ count: pages, code: 'job_not_found', lines: pages, outside: 'connection_failed' });
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
});
