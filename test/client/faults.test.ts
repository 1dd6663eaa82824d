// What goes wrong between a client and a service: each client says the same about it, in an error with a code.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Hayrake, HayrakeError } from '../../packages/client/index.ts';
import { type BadServer, jobId, startBadServer } from './bad-server.ts';
import { python, pythonWithHttpx, runPython } from './python.ts';

type Verb = 'job' | 'crawl' | 'rotate' | 'pages' | 'skip' | 'export' | 'strange-id';

interface Try {
  readonly url: string;
  readonly verb: Verb;
  readonly token?: string;
  readonly timeoutMs?: number;
  readonly retryMs?: number;
}

/** `value`: what the verb gives, as far as it is compared. The others are of an error. */
interface Outcome {
  readonly value?: unknown;
  readonly code?: string;
  readonly status?: number;
  readonly details?: unknown;
  readonly retryAfter?: number | null;
  readonly message?: string;
}

/** Tries all at the same time. */
type Client = (tries: readonly Try[]) => Promise<readonly Outcome[]>;

const inTypeScript: Client = (tries) =>
  Promise.all(
    tries.map(async ({ verb, ...options }): Promise<Outcome> => {
      try {
        const client = new Hayrake({ token: 'a-token', ...options });
        return { value: await runVerb(client, verb) };
      } catch (error) {
        if (error instanceof TypeError) return { code: 'invalid', message: error.message };
        if (!(error instanceof HayrakeError)) throw error;
        const { code, status, details, message, retryAfterMs } = error;
        return { code, status, details, message, retryAfter: retryAfterMs === undefined ? null : retryAfterMs / 1000 };
      }
    }),
  );

async function runVerb(client: Hayrake, verb: Verb): Promise<unknown> {
  const damaged: number[] = [];
  const read: number[] = [];
  switch (verb) {
    case 'job':
      return (await client.job(jobId)).id;
    case 'crawl':
      return (await client.crawl('https://example.com')).id;
    case 'rotate':
      return (await client.rotateWebhookKey()).key;
    case 'strange-id':
      return (await client.job('../hosts')).id;
    case 'export':
      return (await client.export(jobId, 'csv')).text();
    case 'pages':
      for await (const { meta } of client.pages(jobId)) read.push(meta.page);
      return read;
    case 'skip':
      for await (const { meta } of client.pages(jobId, { onDamaged: (page) => damaged.push(page) }))
        read.push(meta.page);
      return { read, damaged };
  }
}

/** The same program for both, with what differs as arguments. */
const script = (parts: { readonly imports: string; readonly asynchronous: boolean }): string => {
  const text = `
import asyncio, json, sys, threading
from hayrake import HayrakeError
${parts.imports}
async def run(client, verb, job):
    read, damaged = [], []
    if verb == "job":
        return (await client.job(job))["id"]
    if verb == "crawl":
        return (await client.crawl("https://example.com"))["id"]
    if verb == "rotate":
        return (await client.rotate_webhook_key())["key"]
    if verb == "strange-id":
        return (await client.job("../hosts"))["id"]
    if verb == "export":
        return b"".join([part async for part in client.export(job, "csv")]).decode()
    async for row in client.pages(job, on_damaged=damaged.append if verb == "skip" else None):
        read.append(row["meta"]["page"])
    return {"read": read, "damaged": damaged} if verb == "skip" else read
async def outcome(given, job):
    try:
        options = {"timeout_seconds": given.get("timeoutMs", 60000) / 1000, "retry_seconds": given.get("retryMs", 60000) / 1000}
        async with Client(given["url"], given.get("token", "a-token"), **options) as client:
            return {"value": await run(client, given["verb"], job)}
    except ValueError as error:
        return {"code": "invalid", "message": str(error)}
    except HayrakeError as error:
        return {"code": error.code, "status": error.status, "details": error.details, "message": error.message, "retryAfter": error.retry_after_seconds}
`;
  const tries = `tries, job = json.loads(sys.argv[1]), sys.argv[2]\n`;
  if (parts.asynchronous) {
    return `${text}${tries}async def main():
    print(json.dumps(await asyncio.gather(*[outcome(given, job) for given in tries])))
asyncio.run(main())`;
  }
  return `${text.replaceAll(/\b(async|await) /g, '')}${tries}outcomes = [None] * len(tries)
def note(index):
    outcomes[index] = outcome(tries[index], job)
threads = [threading.Thread(target=note, args=[index]) for index in range(len(tries))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps(outcomes))`;
};
const clientIn =
  (program: string, text: string): Client =>
  (tries) =>
    runPython(program, text, { args: [JSON.stringify(tries), jobId] });
const inPython = clientIn(
  python ?? '',
  script({ imports: 'from hayrake import Hayrake as Client', asynchronous: false }),
);
const inPythonAsync = clientIn(
  pythonWithHttpx ?? '',
  script({ imports: 'from hayrake.aio import AsyncHayrake as Client', asynchronous: true }),
);

let server: BadServer;
beforeEach(async () => {
  server = await startBadServer();
});
afterEach(() => server.close());

const job = { value: jobId };
/** What is tried by its path, and what comes of it. */
const cases: Readonly<
  Record<
    string,
    { readonly verb?: Verb; readonly more?: Partial<Try>; readonly is: Outcome; readonly requests?: number }
  >
> = {
  html: { is: { code: 'unexpected_response', status: 200 }, requests: 1 },
  'other-json': { is: { code: 'unexpected_response', status: 200 }, requests: 1 },
  'json-list': { is: { code: 'unexpected_response', status: 200 }, requests: 1 },
  redirect: { is: { code: 'redirected', status: 302 }, requests: 1 },
  silent: { more: { timeoutMs: 300, retryMs: 0 }, is: { code: 'timeout', status: 0 }, requests: 1 },
  stalling: { more: { timeoutMs: 300, retryMs: 0 }, is: { code: 'timeout', status: 0 }, requests: 1 },
  'cut-short': { more: { retryMs: 0 }, is: { code: 'response_cut', status: 0 }, requests: 1 },
  'half-json': { more: { retryMs: 0 }, is: { code: 'response_cut', status: 0 }, requests: 1 },
  endless: { is: { code: 'unexpected_response', status: 404 }, requests: 1 },
  'too-limited': { is: { code: 'rate_limited', status: 429, retryAfter: 3600 }, requests: 1 },
  'bad-fields': {
    verb: 'crawl',
    is: { code: 'invalid_body', status: 400, details: [{ field: 'page_limit', message: 'Too many.' }] },
    requests: 1,
  },
  'always-502': { verb: 'rotate', is: { code: 'unexpected_response', status: 502 }, requests: 1 },
  'twice-502': { is: job, requests: 3 },
  'cut-once': { verb: 'crawl', is: job, requests: 2 },
  limited: { verb: 'crawl', is: job, requests: 2 },
  stopping: { is: job, requests: 2 },
  damaged: { verb: 'skip', is: { value: { read: [1, 3], damaged: [2] } }, requests: 3 },
  'cut-file': { verb: 'export', more: { retryMs: 0 }, is: { code: 'response_cut' }, requests: 1 },
  'strange-id': { verb: 'strange-id', is: { code: 'invalid' }, requests: 0 },
};

const clients = [
  { name: 'TypeScript', client: inTypeScript, isMissing: false },
  { name: 'Python (needs python3)', client: inPython, isMissing: python === undefined },
  {
    name: 'Python with asyncio (needs python3-httpx)',
    client: inPythonAsync,
    isMissing: pythonWithHttpx === undefined,
  },
];

describe.each(clients)('$name', ({ client, isMissing }) => {
  test.skipIf(isMissing)('each fault of a server has its code, and what can be repeated is', async () => {
    const tries = Object.entries(cases).map(([name, { verb = 'job', more = {} }]): Try => {
      // A path and slashes at the end belong to the address of a service behind a proxy.
      return Object.assign({ url: `${server.origin}/${name}//`, verb }, more);
    });
    const outcomes = await client(tries);
    const seen = Object.fromEntries(Object.keys(cases).map((name, index) => [name, outcomes[index]]));
    for (const [name, { is, requests }] of Object.entries(cases)) {
      expect({ [name]: seen[name] }).toMatchObject({ [name]: is });
      expect({ [name]: server.asked.get(name)?.length ?? 0 }).toEqual({ [name]: requests });
    }
    expect(server.asked.has('elsewhere')).toBe(false);
    const times = (name: string): number[] => (server.asked.get(name) ?? []).map(({ at }) => at);
    for (const [name, ms] of [
      ['limited', 1_000],
      ['stopping', 1_400],
    ] as const) {
      const [first = 0, second = 0] = times(name);
      expect(second - first).toBeGreaterThanOrEqual(ms);
    }
    const keys = (server.asked.get('cut-once') ?? []).map(({ key }) => key);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(seen['html']?.message).toContain('A wiki');
  });

  test.skipIf(isMissing)('a damaged page and a head that is cut end the reading', async () => {
    const [damaged, head] = await client([
      { url: `${server.origin}/damaged`, verb: 'pages' },
      { url: `${server.origin}/half-head`, verb: 'job', retryMs: 0 },
    ]);
    expect(damaged).toMatchObject({ code: 'page_damaged', status: 500 });
    expect(['response_cut', 'connection_failed']).toContain(head?.code);
  });

  test.skipIf(isMissing)('where nothing listens, and what no address or token can be', async () => {
    const closed = server.origin;
    await server.close();
    const outcomes = await client([
      { url: closed, verb: 'job' },
      { url: 'http://name.invalid', verb: 'job' },
      { url: 'localhost:8380', verb: 'job' },
      { url: 'ftp://localhost', verb: 'job' },
      { url: 'http://user:secret@localhost', verb: 'job' },
      { url: closed, verb: 'job', token: 'two\nlines' },
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([
      'connection_failed',
      'connection_failed',
      'invalid',
      'invalid',
      'invalid',
      'invalid',
    ]);
    expect(JSON.stringify(outcomes)).not.toMatch(/secret|two\\nlines/);
    server = await startBadServer();
  });
});

describe('an abort signal', () => {
  const reason = new Error('The user left.');

  test.each(['silent', 'stalling', 'always-502', 'limited'])('ends a call to /%s with its reason', async (name) => {
    const controller = new AbortController();
    const client = new Hayrake({ url: `${server.origin}/${name}`, token: 'a-token' });
    const call = client.job(jobId, { signal: controller.signal });
    const reached = vi.waitFor(() => expect(server.asked.has(name)).toBe(true), 10_000);
    void reached.then(() => controller.abort(reason));
    await expect(call).rejects.toBe(reason);
    const requests = server.asked.get(name)?.length;
    await sleep(100);
    expect(server.asked.get(name)?.length).toBe(requests);
  });

  test('that was aborted before sends nothing', async () => {
    const client = new Hayrake({ url: `${server.origin}/html`, token: 'a-token' });
    await expect(client.crawl('https://a', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.asked.size).toBe(0);
  });
});
