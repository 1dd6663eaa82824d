// The OpenAPI document is complete and valid, and a client that a generator makes from it crawls.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorCodes } from '../../src/core/errors.ts';
import { webhookEvents } from '../../src/core/webhook-event.ts';
import { runEvent, scheduleEvent, webhookEvent } from '../../src/api/routes/webhook-schemas.ts';
import { messageOf } from '../../src/notify/message.ts';
import { startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const written = path.join(root, 'docs/openapi.json');
/** Neither sends data about its use nor looks for a newer version. */
const quiet = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
const redocly = (...args: string[]): Promise<{ stdout: string }> =>
  run(process.execPath, [path.join(root, 'node_modules/@redocly/cli/bin/cli.js'), ...args], { env: quiet });

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean };
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly description: string }>>;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, object>> }>>;
  };
}

let document: Document;
let operations: readonly Operation[];
let folder = '';
let site: TestSite;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hayrake-openapi-'));
  document = JSON.parse(await readFile(written, 'utf8')) as Document;
  operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  site = await startTestSite(numberedPages(5));
  service = await startService();
});

afterAll(async () => {
  await service.close();
  await site.close();
  await rm(folder, { recursive: true });
});

test('docs/openapi.json: passes the linter without warnings, examples included', async () => {
  const { stdout } = await redocly('lint', written, '--format=json');
  const { problems } = JSON.parse(stdout) as { problems: readonly unknown[] };
  expect(problems).toEqual([]);
});

const spectral = path.join(root, 'test/programs/node_modules/@stoplight/spectral-cli/dist/index.js');
const programs = existsSync(spectral) ? '' : ' (needs `npm ci --ignore-scripts --prefix test/programs`)';

test.skipIf(!existsSync(spectral))(
  `docs/openapi.json: passes Spectral without warnings${programs}`,
  async () => {
    const rules = path.join(folder, 'rules.json');
    // A document of a service that everybody runs for themselves has nobody to contact.
    await writeFile(rules, JSON.stringify({ extends: ['spectral:oas'], rules: { 'info-contact': 'off' } }));
    const { stdout } = await run(process.execPath, [spectral, 'lint', '-r', rules, '-f', 'json', '-q', written]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(JSON.parse(stdout)).toEqual([]);
  },
  120_000,
);

test('the linter: finds a duplicate operationId', async () => {
  const broken = path.join(folder, 'broken.json');
  await writeFile(
    broken,
    (await readFile(written, 'utf8')).replace('"operationId": "listJobs"', '"operationId": "getJob"'),
  );
  await expect(redocly('lint', broken, '--format=json')).rejects.toThrow('Command failed');
});

test('docs/openapi.json: gives every operation its own id, a described tag, and response headers', () => {
  expect(operations.length).toBeGreaterThan(15);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const { tags: own, responses } of operations) {
    expect(own.every((tag) => tags.has(tag))).toBe(true);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['4XX', '5XX']));
    for (const { headers, description } of Object.values(responses)) {
      expect(headers).toHaveProperty('X-Request-Id');
      expect(description).not.toBe('Default Response');
    }
    expect(responses['4XX']?.headers).toHaveProperty('Retry-After');
  }
});

test('docs/openapi.json: describes every operation', () => {
  expect(operations.filter(({ description = '' }) => description === '').map(({ operationId }) => operationId)).toEqual(
    [],
  );
});

/** `\w` and `\p{...}` mean other characters, or nothing, in the regular expressions of other languages. */
test('docs/openapi.json: has only patterns that mean the same in every language', () => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '""']) => JSON.parse(text) as string,
  );
  expect(patterns.length).toBeGreaterThan(0);
  expect(patterns.filter((pattern) => /\\[a-z]|\(\?/i.test(pattern))).toEqual([]);
});

test('docs/openapi.json: describes `nextCursor` as a copy of `cursor`, and nowhere else', () => {
  const said = [...JSON.stringify(document).matchAll(/"(?:description|summary)":"((?:[^"\\]|\\.)*)"/g)];
  expect(said.filter(([, text = '']) => /next_?cursor/i.test(text))).toEqual([]);
});

test('docs/openapi.json: defines each schema once, and lets responses have further fields', () => {
  expect(Object.keys(document.components.schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
  expect(JSON.stringify(document.components.schemas)).not.toContain('"additionalProperties":false');
});

test('docs/openapi.json: lists the error codes as an enumeration', () => {
  expect(document.components.schemas['Problem']?.properties['code']).toMatchObject({ enum: Object.keys(errorCodes) });
});

test('docs/openapi.json: gives parameters their ranges and defaults', () => {
  const parametersOf = (id: string): Readonly<Record<string, object>> =>
    Object.fromEntries(
      operations
        .find(({ operationId }) => operationId === id)!
        .parameters!.map(({ name, schema }) => [name, schema] as const),
    );
  for (const id of ['listJobs', 'readPages', 'readMetadata', 'listUrls', 'listDeliveries'])
    expect(parametersOf(id)).toMatchObject({
      limit: { type: ['integer', 'null'], minimum: 1, maximum: 400, default: 400 },
      cursor: { type: ['string', 'null'] },
    });
  expect(parametersOf('readPages')).toMatchObject({
    wait: { minimum: 0, maximum: 60, default: 10 },
    links: { enum: ['inline', 'reference', 'none'], default: 'inline' },
    images: { default: 'all' },
    chunk_chars: { default: 2_000 },
  });
  expect(parametersOf('readPages')).not.toHaveProperty('fields');
  expect(parametersOf('listUrls')).toMatchObject({ kind: { default: 'page' } });
});

test('docs/openapi.json: has no body where a request has no fields, and an optional one for a retry', () => {
  const bodyOf = (id: string): unknown => operations.find(({ operationId }) => operationId === id)?.requestBody;
  for (const id of ['cancelJob', 'stopJob', 'resumeJob', 'deleteJob', 'replayDelivery', 'rotateWebhookKey'])
    expect(bodyOf(id)).toBeUndefined();
  expect(bodyOf('retryJob')).toMatchObject({ required: false });
  expect(bodyOf('createJob')).not.toHaveProperty('required', false);
});

const how = { userAgent: 'hayrake/0', feedCursor: () => 'cursor' };
const ofJobs = webhookEvents.filter((event) => event !== 'schedule.changed');
test.each(ofJobs)('docs/openapi.json: documents the webhook %s as it is sent', (event) => {
  expect(document.webhooks).toHaveProperty([event]);
  const progress = { queued: 0, inFlight: 0, scraped: 1, discarded: 0, failed: 0, outside: 0 };
  const said = { complete: null, findings: [] } as const;
  const facts = { status: 'running', ...said, finishedAt: null, progress, pages: { from: 1, to: 1 } } as const;
  const delivery = { id: 1, owner: 'x', event, createdAt: 0, facts };
  const { body } = messageOf(
    delivery as unknown as Parameters<typeof messageOf>[0],
    { current: Buffer.alloc(32) },
    0,
    how,
  );
  expect(webhookEvent.strict().parse(JSON.parse(body))).toEqual(JSON.parse(body));
});

test('docs/openapi.json: documents the webhook schedule.changed as it is sent', () => {
  expect(document.webhooks).toHaveProperty(['schedule.changed']);
  const changes = { added: 1, changed: 0, moved: 0, unchanged: 0, removed: 0, unknown: 0 };
  const delivery = { id: 1, owner: 'J', createdAt: 0, facts: { schedule: 'S', job: 'J', changes } };
  const { body } = messageOf(
    { ...delivery, org: 'o', url: 'u', event: 'schedule.changed', attempts: 1 },
    { current: new Uint8Array(32) },
    0,
    how,
  );
  expect(runEvent.strict().parse(JSON.parse(body))).toEqual(JSON.parse(body));
});

test('docs/openapi.json: documents the webhook schedule.failed as it is sent', () => {
  expect(document.webhooks).toHaveProperty(['schedule.failed']);
  const error = { code: 'browser_missing', message: 'There is no browser.', at: 2 };
  const facts = { schedule: 'S', name: 'n', error, nextRunAt: null };
  const delivery = {
    id: 1,
    owner: 'S',
    org: 'o',
    url: 'u',
    event: 'schedule.failed',
    createdAt: 0,
    attempts: 1,
    facts,
  };
  const { body } = messageOf({ ...delivery, event: 'schedule.failed' }, { current: new Uint8Array(32) }, 0, how);
  expect(scheduleEvent.strict().parse(JSON.parse(body))).toEqual(JSON.parse(body));
});

/** What a user of the generated client writes: create a job, wait for its end, read all pages by cursor. */
const program = `
import { ApiError, configure, createJob, getJob, readPages } from './client.ts';

const [serverUrl = '', token = '', url = ''] = process.argv.slice(2);
configure({ serverUrl, auth: { bearer: token } });

const { id } = await createJob({ body: { urls: [url], page_limit: 4 } });
let job = await getJob({ path: { id } });
while (job.status === 'starting' || job.status === 'running') {
  await new Promise((resolve) => setTimeout(resolve, 50));
  job = await getJob({ path: { id } });
}

const pages: number[] = [];
const texts: string[] = [];
let cursor: string | undefined;
do {
  const read = await readPages({ path: { id }, query: { limit: 2, ...(cursor !== undefined && { cursor }) } });
  for (const { meta, text } of read.data) {
    pages.push(meta.page);
    texts.push(text);
  }
  cursor = read.cursor;
} while (cursor !== undefined);

const refused = await getJob({ path: { id: 'nobody' } }).catch((error: unknown) => error instanceof ApiError && error.body);
console.log(JSON.stringify({ status: job.status, scraped: job.progress.scraped, pages, texts, refused }));
`;

test('docs/openapi.json: generates a client that compiles strictly and crawls', async () => {
  const from = path.join(folder, 'openapi.json');
  await writeFile(from, JSON.stringify(await service.ok('/openapi.json', { token: null })));
  await redocly(
    'generate-client',
    from,
    '--output',
    path.join(folder, 'client.ts'),
    '--import-ext',
    'ts',
    '--args-style',
    'grouped',
  );
  const main = path.join(folder, 'main.ts');
  await writeFile(main, program);
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
  ];
  const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  // In the folder, so that the settings of this repository do not apply.
  const faults = await run(process.execPath, [compiler, ...options, ...types, main], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(faults).toBe('');
  const { stdout } = await run(process.execPath, [main, service.origin, service.token, `${site.origin}/`]);
  const { texts, ...result } = JSON.parse(stdout) as { texts: readonly string[] };
  expect(result).toEqual({
    status: 'succeeded',
    scraped: 4,
    pages: [1, 2, 3, 4],
    refused: expect.objectContaining({ status: 404, code: 'job_not_found' }),
  });
  expect(texts.every((text) => text.length > 0)).toBe(true);
  // Two programs that take seconds of processor time each.
}, 120_000);
