// The OpenAPI document besides what the schemas of the routes say: tags, examples, response headers, webhooks.
import { type ScheduleEvent, scheduleEvents, type WebhookEvent, webhookEvents } from '../../core/webhook-event.ts';
import { optionsOf } from '../../options/inputs.ts';
import { withExtract } from './extract-schemas.ts';
import { bodyExamples, jobId, problemExample, responseExamples, webhookExamples } from './examples.ts';

type Json = Record<string, unknown>;

interface Media {
  schema: Json;
  example?: unknown;
}

interface Response {
  description: string;
  headers?: Record<string, { readonly $ref: string }>;
  content?: Record<string, Media>;
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: Json; example?: unknown }[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
}

/** The document as the web framework generates it. */
interface Generated {
  readonly paths?: unknown;
  readonly components?: { readonly schemas?: unknown };
}

export const tags = [
  { name: 'jobs', description: 'Create, list, read, cancel, retry and delete crawls.' },
  { name: 'schedules', description: 'Jobs at certain times.' },
  { name: 'results', description: 'The pages of a job, while it runs and after its end.' },
  { name: 'scraper', description: 'One page now, the URLs of a site now, and many pages as one job.' },
  { name: 'mcp', description: 'Tools for agents, by the Model Context Protocol.' },
  { name: 'webhooks', description: 'Deliveries to the `webhook_url` of a job, and the key that signs them.' },
  { name: 'tokens', description: 'The tokens of your org. Needs the permission `tokens`.' },
  { name: 'sessions', description: 'Browsers that are signed in to the dashboard.' },
  { name: 'service', description: 'Health, metrics and this document.' },
];

export const info = {
  title: 'hayrake',
  description:
    'Give it a site, read back every page. Errors are RFC 9457 problems with a stable `code`. Lists return a `cursor` while more remains: repeat the request with it.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** Relative, so it is right wherever the document was read. */
export const servers = [{ url: '/', description: 'The service that returned this document.' }];

const text = { type: 'string' };

const headers = {
  'X-Request-Id': { description: 'Identifies the request in the log.', schema: text },
  'X-Job-Status': { description: 'The status of the job at the time of this response.', schema: text },
  'X-Pages': {
    description: 'Number of pages of the job that the file covers.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Content-Disposition': { description: 'With the name of the file.', schema: text },
  'Accept-Ranges': { description: '`bytes` if the request can have a `Range`, otherwise `none`.', schema: text },
  'Retry-After': { description: 'Seconds to wait, with 429, 503 and 507.', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': { description: 'With 401: the scheme, and what is wrong with the token.', schema: text },
  Allow: { description: 'With 405: the methods of this path.', schema: text },
  Location: { description: 'The path of the new job or schedule.', schema: text },
  Link: {
    description: 'While more remains: the same request with the next cursor, relative, with `rel="next"`.',
    schema: text,
  },
  ETag: {
    description: 'For a job that has ended. Send it as `If-None-Match` to get 304 while nothing changed.',
    schema: text,
  },
} as const;

type HeaderName = keyof typeof headers;

/** Headers of successful responses, by operation. */
const headersOfSuccess: Readonly<Record<string, readonly HeaderName[]>> = {
  createJob: ['Location'],
  retryJob: ['Location'],
  createSchedule: ['Location'],
  runSchedule: ['Location'],
  createBatch: ['Location'],
  readPages: ['X-Job-Status', 'Link', 'ETag'],
  readMetadata: ['X-Job-Status', 'Link', 'ETag'],
  followEvents: ['X-Job-Status'],
  listUrls: ['X-Job-Status'],
  searchPages: ['X-Job-Status'],
  exportJob: ['X-Job-Status', 'X-Pages', 'Content-Disposition', 'Accept-Ranges', 'ETag'],
};

/** Completes the generated document. Changes it in place: it is generated once. */
export function describeApi<Document extends Generated>(document: Document): Document {
  const schemas = (document.components?.schemas ?? {}) as Json;
  // The generator writes each response schema a second time, as if it were a request.
  for (const name of Object.keys(schemas))
    if (name.endsWith('Input') && name.slice(0, -'Input'.length) in schemas) delete schemas[name];
  openUp(schemas);
  withExtract(schemas, document);
  const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>;
  nameRest(paths);
  for (const path of Object.values(paths)) for (const operation of Object.values(path)) describeOperation(operation);
  const webhooks = Object.fromEntries([...webhookEvents, ...scheduleEvents].map((event) => [event, webhookOf(event)]));
  return withoutNoise({
    ...document,
    components: { ...document.components, headers },
    webhooks,
  }) as Document;
}

/** The router calls the rest of a path `*`, and no generator makes a name of that. */
function nameRest(paths: Record<string, Record<string, Operation>>): void {
  for (const [path, operations] of Object.entries(paths)) {
    if (!path.endsWith('{*}')) continue;
    delete paths[path];
    paths[path.replace('{*}', '{url}')] = operations;
    for (const { parameters = [] } of Object.values(operations))
      for (const parameter of parameters) if (parameter.name === '*') parameter.name = 'url';
  }
}

function describeOperation(operation: Operation): void {
  const { operationId, parameters = [], requestBody, responses } = operation;
  // `fields` of `/data` takes only the empty string.
  operation.parameters = parameters.filter(({ schema }) => String(schema['enum']) !== '');
  for (const parameter of operation.parameters) {
    parameter.schema = plainParameter(parameter.schema);
    if (parameter.in === 'path') parameter.example = pathExamples[parameter.name] ?? '1';
  }
  if (operation.parameters.length === 0) delete operation.parameters;
  const json = requestBody?.content['application/json'];
  const [body, nothing] = Array.isArray(json?.schema['anyOf']) ? (json.schema['anyOf'] as Json[]) : [];
  if (requestBody && json && body && nothing?.['type'] === 'null') {
    // A body without fields is no body; any other one is optional.
    if (Object.keys(body['properties'] as Json).length === 0) delete operation.requestBody;
    json.schema = body;
    requestBody.required = false;
  }
  if (json && hasFlags.has(operationId)) addFlags(json.schema['properties'] as Record<string, Json>);
  if (json && operationId in bodyExamples) json.example = bodyExamples[operationId];
  responses['4XX'] ??= { description: 'What is wrong and what to change.', content: problemContent() };
  responses['5XX'] ??= { description: 'What is wrong. Retry later.', content: problemContent() };
  if (operationId === 'readPages' || operationId === 'readMetadata')
    responses['304'] = { description: 'Nothing changed since the response with this `ETag`.' };
  for (const [status, response] of Object.entries(responses)) describeResponse(operationId, status, response);
}

const pathExamples: Readonly<Record<string, string>> = { id: jobId, url: 'https://docs.example.org/' };

/** Requests that the dashboard has a form for. */
const hasFlags: ReadonlySet<string> = new Set(['createJob', 'createBatch', 'reextractJob']);

/** How the command line gives each option, for the dashboard, which shows a request in several forms. */
function addFlags(properties: Record<string, Json>): void {
  for (const { name, option } of optionsOf('crawl')) {
    const property = properties[name];
    if (!property || !option.flag) continue;
    const { help: _, ...flag } = option.flag;
    property['x-cli'] = flag;
  }
}

function describeResponse(operationId: string, status: string, response: Response): void {
  const isSuccess = /^[23]/.test(status);
  if (response.description === 'Default Response') response.description = 'Success.';
  const names: readonly HeaderName[] = isSuccess
    ? (headersOfSuccess[operationId] ?? [])
    : status === '4XX'
      ? ['Retry-After', 'WWW-Authenticate', 'Allow']
      : ['Retry-After'];
  response.headers = Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  for (const media of Object.values(response.content ?? {})) openUp(media.schema);
  const problem = status === '4XX' ? response.content?.['application/problem+json'] : undefined;
  if (problem) problem.example = problemExample;
  const { content } = response;
  const json =
    status === '200' || status === '201'
      ? (content?.['application/json'] ?? content?.['application/x-ndjson'])
      : undefined;
  const example: unknown = Object.entries(responseExamples).find(([id]) => id === operationId)?.[1];
  if (json && example !== undefined) json.example = example;
}

function problemContent(): Record<string, Media> {
  return { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
}

/** Parameters accept the empty string, like absent; the document shows the other values. */
function plainParameter(schema: Json): Json {
  const { 'x-default': fallback, anyOf, title: _, ...rest } = schema;
  const values =
    Array.isArray(anyOf) && anyOf.length === 2 ? (anyOf[1] as Json) : { ...(anyOf !== undefined && { anyOf }) };
  return { ...rest, ...values, ...(fallback !== undefined && { default: fallback }) };
}

/** Responses gain fields over time, so no client may refuse unknown ones. */
function openUp(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const record = schema as Json;
  if (record['additionalProperties'] === false) delete record['additionalProperties'];
  for (const child of Object.values(record)) openUp(child);
}

/** Removes the bounds of integers that only say that a number is exact in JavaScript. */
function withoutNoise(document: unknown): unknown {
  const text = JSON.stringify(document, (key, value: unknown) =>
    (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? undefined : value,
  );
  return JSON.parse(text);
}

function schemaOfEvent(event: WebhookEvent | ScheduleEvent): string {
  if (event === 'schedule.changed') return 'RunEvent';
  return event === 'schedule.failed' ? 'ScheduleEvent' : 'WebhookEvent';
}

function webhookOf(event: WebhookEvent | ScheduleEvent): Json {
  return {
    post: {
      operationId: event.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
      tags: ['webhooks'],
      summary: `The event \`${event}\` of a ${event.startsWith('job') ? 'job' : 'schedule'}, sent to the \`webhook_url\` of the job`,
      description:
        'Signed as in Standard Webhooks: verify `webhook-signature` before anything else. Any 2xx response counts as delivered.',
      security: [],
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
        name,
        in: 'header',
        required: true,
        schema: text,
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${schemaOfEvent(event)}` },
            example: webhookExamples[event],
          },
        },
      },
      responses: {
        '2XX': { description: 'Delivered.' },
        '4XX': { description: 'Not delivered: it is tried again.' },
      },
    },
  };
}
