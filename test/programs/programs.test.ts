// Programs of others, with nothing changed but the address and the token, against the real service and a real site.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { htmlPage, startTestSite, type TestSite } from '../service/test-site.ts';

const installed = path.join(import.meta.dirname, 'node_modules');
const areInstalled = existsSync(installed);
const hint = areInstalled ? '' : ' (needs `npm ci --ignore-scripts --prefix test/programs`)';
const run = promisify(execFile);

let site: TestSite;
let service: TestService;
let home = '';

beforeAll(async () => {
  if (!areInstalled) return;
  home = await mkdtemp(path.join(tmpdir(), 'hayrake-programs-'));
  site = await startTestSite({
    '/': htmlPage({ text: 'home', links: ['/one', '/two'] }),
    '/one': htmlPage({ text: 'page one' }),
    '/two': htmlPage({ text: 'page two' }),
  });
  service = await startService();
});

afterAll(async () => {
  if (!areInstalled) return;
  await service.close();
  await site.close();
  await rm(home, { recursive: true });
});

describe.skipIf(!areInstalled)(`firecrawl-cli 1.23.3${hint}`, () => {
  const cli = async (...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> =>
    run(process.execPath, [path.join(installed, 'firecrawl-cli/dist/index.js'), ...args], {
      cwd: home,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        FIRECRAWL_API_URL: service.origin,
        FIRECRAWL_API_KEY: service.token,
        FIRECRAWL_NO_TELEMETRY: '1',
      },
    });

  test('scrape, crawl, map, credit-usage', async () => {
    expect((await cli('scrape', `${site.origin}/one`)).stdout).toContain('page one');
    const both = await cli('scrape', `${site.origin}/`, '-f', 'markdown,links', '--json');
    expect(JSON.parse(both.stdout)).toMatchObject({ links: [`${site.origin}/one`, `${site.origin}/two`] });
    const crawled = await cli('crawl', `${site.origin}/`, '--wait', '--poll-interval', '1', '--limit', '10');
    for (const text of ['home', 'page one', 'page two']) expect(crawled.stdout).toContain(text);
    expect((await cli('map', `${site.origin}/`)).stdout).toContain(`${site.origin}/two`);
    expect((await cli('credit-usage')).stdout).toMatch(/credit/i);
  });

  test('what the service does not do is an error', async () => {
    // It shows no sentence of a search that was refused.
    await expect(cli('search', 'hay')).rejects.toMatchObject({
      stderr: expect.stringContaining('400') as string,
    });
    await expect(cli('scrape', `${site.origin}/one`, '--summary')).rejects.toMatchObject({
      stderr: expect.stringContaining('not available') as string,
    });
  });
});

/** Speaks MCP with a program over its standard streams, and returns what a tool answers. */
async function callTool(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  call: { readonly name: string; readonly arguments: object },
): Promise<string> {
  const child = execFile(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env } });
  let output = '';
  child.stdout?.on('data', (chunk: string) => (output += chunk));
  const send = (message: object): void => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  try {
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };
    send({ id: 1, method: 'initialize', params: client });
    await expect.poll(() => output).toContain('"id":1');
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: call });
    await expect.poll(() => output).toContain('"id":2');
    return output;
  } finally {
    child.kill();
  }
}

describe.skipIf(!areInstalled)(`mcp-remote 0.15.1${hint}`, () => {
  test('passes the messages of a client on to POST /mcp', async () => {
    const proxy = path.join(installed, 'mcp-remote/dist/proxy.js');
    const header = ['--header', `Authorization: Bearer ${service.token}`];
    const args = [proxy, `${service.origin}/mcp`, '--allow-http', '--transport', 'http-only', ...header];
    const said = await callTool(args, {}, { name: 'scrape', arguments: { url: `${site.origin}/one` } });
    expect(said).toContain('page one');
  });
});

describe.skipIf(!areInstalled)(`jina-mcp-tools 1.2.3${hint}`, () => {
  test('reads a page by POST /r, without images and with the list of links', async () => {
    const args = ['--import', path.join(import.meta.dirname, 'redirect-reader.ts')];
    const said = await callTool(
      [...args, path.join(installed, 'jina-mcp-tools/dist/index.js')],
      { READER_ORIGIN: service.origin, JINA_API_KEY: service.token },
      { name: 'jina_reader', arguments: { url: `${site.origin}/#top`, customTimeout: 20 } },
    );
    expect(said).toContain('home');
    expect(said).toContain(`- ${site.origin}/two`);
    expect(said).not.toContain('"isError":true');
  });
});
