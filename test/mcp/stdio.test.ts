// `hayrake mcp`: the tools for one client that starts the program.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newDirectory, removeDirectories, run } from '../cli/program.ts';
import { mainModule } from '../main-module.ts';
import { startService } from '../service/start-service.ts';
import { htmlPage, numberedPages, startTestSite, type TestSite } from '../service/test-site.ts';
import { connectOverStdio, type Era } from './clients.ts';

/** Each start of the program takes seconds on a busy machine. */

let site: TestSite;
beforeAll(async () => {
  site = await startTestSite({ ...numberedPages(12), '/hay': htmlPage({ title: 'Hay', text: 'Dried grass.' }) });
});
afterAll(() => site.close());
afterEach(removeDirectories);

const flagsOf = (directory: string): string[] => ['--data', directory, '--allow-private', '127.0.0.0/8'];
const jobIn = (text: string): string => /Job (\w{26})/.exec(text)?.[1] ?? '';

test.each<Era>(['legacy', 'modern'])(
  'a client of the %s revisions crawls and reads, without a service',
  async (era) => {
    const mcp = await connectOverStdio(flagsOf(newDirectory()), { era });
    expect((await mcp.client.listTools()).tools.length).toBe(9);
    const started = await mcp.call('crawl_start', { url: `${site.origin}/`, page_limit: 50 });
    const job = jobIn(started.text);
    expect((await mcp.call('crawl_status', { job, wait: 50 })).text).toContain('has ended: succeeded. Pages: 12 of');
    expect((await mcp.call('search', { job, q: 'page 7' })).text).toContain('Page 7');
    expect((await mcp.call('scrape', { url: `${site.origin}/hay` })).text).toContain('Dried grass.');
    await mcp.close();
  },
);

/** The program as a client starts it, without the client. */
function startRaw(directory: string): {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: () => string;
  readonly send: (message: object) => void;
  readonly says: (text: string) => Promise<void>;
} {
  const child = spawn(process.execPath, [mainModule, 'mcp', ...flagsOf(directory), '--log-level', 'debug'], {
    env: { ...process.env, HAYRAKE_BROWSER: 'off' },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.resume();
  return {
    child,
    output: () => output,
    send: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    says: async (text) => {
      await expect.poll(() => output, { timeout: 20_000 }).toContain(text);
    },
  };
}

const call = (id: number, name: string, args: object) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

test('standard output has nothing but the protocol; the end of standard input stops it, and nothing is lost', async () => {
  const directory = newDirectory();
  const held = site.hold('/page/9');
  const { child, output, send, says } = startRaw(directory);
  const exited = once(child, 'exit');
  send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  send(call(1, 'crawl_start', { url: `${site.origin}/` }));
  await says('"id":1');
  await held.reached;
  // Neither JSON, nor a message, nor answered in time.
  child.stdin.write('this is not JSON\n{"jsonrpc":"2.0"}\n');
  const job = jobIn(output());
  send(call(2, 'crawl_status', { job, wait: 50 }));
  send(call(3, 'pages', { job }));
  await says('"id":3');
  child.stdin.end();
  held.open();
  expect(await exited).toEqual([0, null]);
  for (const line of output().trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });

  const next = await connectOverStdio(flagsOf(directory));
  expect((await next.call('crawl_status', { job, wait: 50 })).text).toContain('has ended: succeeded. Pages: 12 of');
  await next.close();
});

test('it ends without a message too, and on a signal', async () => {
  const silent = startRaw(newDirectory());
  silent.child.stdin.end();
  expect(await once(silent.child, 'exit')).toEqual([0, null]);
  const stopped = startRaw(newDirectory());
  stopped.send({ id: 0, method: 'ping' });
  await stopped.says('"id":0');
  stopped.child.kill('SIGTERM');
  expect(await once(stopped.child, 'exit')).toEqual([0, null]);
});

test('a client that closes our output ends it', async () => {
  const { child, send, says } = startRaw(newDirectory());
  send({ id: 0, method: 'ping' });
  await says('"id":0');
  const exited = once(child, 'exit');
  child.stdout.destroy();
  send({ id: 1, method: 'ping' });
  send({ id: 2, method: 'ping' });
  expect(await exited).toEqual([0, null]);
});

test('two clients, one directory: the second reads, and is told what to do to crawl', async () => {
  const directory = newDirectory();
  const first = await connectOverStdio(flagsOf(directory));
  const second = await connectOverStdio(flagsOf(directory));
  const job = jobIn((await first.call('crawl_start', { url: `${site.origin}/` })).text);
  await first.call('crawl_status', { job, wait: 50 });
  expect((await second.call('pages', { job })).text).toContain('has 12 pages');
  expect((await second.call('crawl_status', { job })).isError).toBe(false);
  const { text, isError } = await second.call('scrape', { url: `${site.origin}/hay` });
  expect(isError).toBe(true);
  expect(text).toMatch(
    /^unavailable: \S+ is in use by another crawling hayrake \(process \d+\)\..*hayrake mcp --server URL/,
  );
  // The first one leaves.
  await first.close();
  await expect
    .poll(async () => (await second.call('scrape', { url: `${site.origin}/hay` })).isError, { timeout: 20_000 })
    .toBe(false);
  await second.close();
});

test('next to a service, and with --server', async () => {
  const service = await startService();
  const beside = await connectOverStdio(flagsOf(service.directory));
  expect((await beside.call('scrape', { url: `${site.origin}/hay` })).text).toContain('hayrake mcp --server URL');
  await beside.close();

  const env = { HAYRAKE_TOKEN: service.token };
  const remote = await connectOverStdio(['--server', service.origin], { env });
  const { text } = await remote.call('scrape', { url: `${site.origin}/hay`, max_chars: 2_000 });
  expect(text).toContain('Dried grass.');
  expect(await remote.call('page', { job: 'nobody', page: 1 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^job_not_found: /),
  });
  const slow = site.hold('/slow');
  const gone = new AbortController();
  const scraping = remote.call('scrape', { url: `${site.origin}/slow` }, gone.signal);
  await slow.reached;
  gone.abort();
  await expect(scraping).rejects.toBeInstanceOf(Error);
  const statuses = async () => {
    const { data } = await service.ok<{ data: readonly { status: string }[] }>('/crawler/jobs?kind=scrape&limit=1');
    return data.map(({ status }) => status);
  };
  await expect.poll(statuses).toEqual(['cancelled']);
  slow.open();

  const stranger = await connectOverStdio([], {
    env: { HAYRAKE_URL: service.origin, HAYRAKE_TOKEN: `wrong-${service.token}` },
  });
  expect((await stranger.call('crawl_status')).text).toMatch(/^invalid_token: .*HAYRAKE_TOKEN/);
  await stranger.close();
  for (const token of ['short', 'with spaces in a token of some length']) {
    const refused = await connectOverStdio(['--server', service.origin], { env: { HAYRAKE_TOKEN: token } });
    const answer = await refused.call('crawl_status');
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^invalid_token: .*HAYRAKE_TOKEN/) });
    expect(answer.text).not.toContain(token);
    await refused.close();
  }
  await service.stop();
  expect((await remote.call('crawl_status')).text).toMatch(
    /^unavailable: The service at \S+ cannot be reached \(.*ECONNREFUSED/,
  );
  await service.start();
  await remote.close();
  await service.close();
});

test.each([
  [['--server', 'nonsense'], {}, /--server is "nonsense", which cannot be used: write the http or https address/],
  [['--server', 'http://127.0.0.1:1'], {}, /Set HAYRAKE_TOKEN/],
  [['--server', 'http://127.0.0.1:1', '--data', 'x'], {}, /Give either --server or --data/],
  [[], { HAYRAKE_URL: 'ftp://x' }, /HAYRAKE_URL is "ftp:\/\/x", which cannot be used/],
])('a mistake in the settings ends it at once: %j %j', async (args, env, message) => {
  const { code, stdout, stderr } = await run(['mcp', ...args], { env });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
});
