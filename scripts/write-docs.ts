// Writes the documents that are generated from the code: docs/configuration.md, docs/errors.md, docs/limits.md, docs/options.md,
// docs/openapi.json, docs/routes.md and what the clients have from the former, and the table of metadata in docs/content.md.
//
//   node scripts/write-docs.ts            writes them
//   node scripts/write-docs.ts --check    fails if one is out of date
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { SettingName } from '../src/config/config.ts';
import { settings } from '../src/config/settings.ts';
import { errorCodes, exitCodes } from '../src/core/errors.ts';
import { jobCodes } from '../src/core/job-codes.ts';
import { discardReasons, errorReasons, outsideReasons } from '../src/core/reasons.ts';
import { problemStatus } from '../src/api/response/problem.ts';
import { openApiOf } from '../src/api/routes/health.ts';
import { createServer, type ServerOptions } from '../src/api/server.ts';
import type { Service } from '../src/api/service.ts';
import { pageMetadata } from '../src/api/routes/schemas.ts';
import { clientTypes } from './client-types.ts';
import { limits } from './limits.ts';
import { syncPython } from './python-sync.ts';
import { pythonTypes } from './python-types.ts';
import { optionDocs } from './option-docs.ts';
import { metadataSources } from '../src/extract/metadata/metadata-sources.ts';

const root = path.join(import.meta.dirname, '..');

const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'Done.',
  failed:
    'The command failed. `crawl`, `get`, `export`: the output cannot be written. `doctor`: a check failed. `health`: the service accepts no work.',
  usage: 'A flag, an argument or a setting is wrong.',
  incomplete:
    'The crawl ended without a page or with a finding, and the output says why. A limit that the command itself gave (`--limit`, `--time-limit`) ends with 0, unless there is `--strict`.',
  databaseNewer: 'A newer version of the program created the database.',
  databaseDamaged:
    'The database is damaged. If only pages are, `get`, `crawl` and `export --format jsonl` have written all others, and `check` has named the damaged ones.',
  directoryInUse: 'Another crawling process uses the data directory.',
  storageFailed:
    'The database cannot be read or written. PostgreSQL may refuse the user, the password or the database name, or be unreachable: then `serve`, `api` and `worker` wait one minute at the start, and without limit after it.',
  interrupted: 'Interrupted, or the reader of the output has closed it. Crawled pages are kept.',
};

/** Defaults that depend on the machine. */
const machineDefaults: ReadonlyMap<SettingName, string> = new Map([
  ['memoryMb', 'memory of the container or machine'],
  ['converterThreads', 'processors, at most 8, fewer with little memory'],
  ['browserPages', 'processors + 1, fewer with little memory'],
]);

function configuration(): string {
  const table = settings({ checkNetworks: () => {} });
  const rows = (Object.keys(table) as SettingName[]).map((name) => {
    const { env, flag, default: fallback, description } = table[name];
    const shown = machineDefaults.get(name) ?? (fallback === '' ? '' : `\`${fallback}\``);
    return `| \`${env}\` | ${flag === undefined ? '' : `\`--${flag}\``} | \`${name}\` | ${shown} | ${description} |`;
  });
  return `# Configuration

A flag overrides the environment, which overrides the configuration file, which overrides the default. The file is JSON,
an object of settings by name, passed with \`--config FILE\` or \`HAYRAKE_CONFIG\`. \`hayrake config\` shows each setting with
its value and its source. An unknown setting in the file is an error; an unknown \`HAYRAKE_*\` variable causes a warning.

| Environment | Flag | In the file | Default | Meaning |
|---|---|---|---|---|
${rows.join('\n')}

## Open files

A crawling process refuses to start if it may open fewer than 128 files (\`ulimit -n\`). Each connection to a site or to
the API is a file: allow 1,024 or more.

## Exit codes

| Code | Meaning |
|---|---|
${Object.entries(exitCodes)
  .map(([name, code]) => `| ${code} | ${exitMeanings[name as keyof typeof exitCodes]} |`)
  .join('\n')}
`;
}

function errors(): string {
  const table = (codes: Readonly<Record<string, string>>): string =>
    Object.entries(codes)
      .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
      .join('\n');
  const apiErrors = (Object.keys(errorCodes) as (keyof typeof errorCodes)[]).map(
    (code) => `| \`${code}\` | ${problemStatus(code)} | ${errorCodes[code]} |`,
  );
  return `# Errors and reasons

All of these codes are stable. New codes are additions to the API.

## Errors of the API

Error responses are \`application/problem+json\` (RFC 9457): \`code\` is one of these, \`detail\` says what to change,
\`errors\` names each field if several are wrong, \`requestId\` identifies the request in the log.

| Code | Status | Meaning |
|---|---|---|
${apiErrors.join('\n')}

## Spelling of a request

- A path can end with a slash and can have doubled slashes. \`%2F\` is not a slash.
- A job id can be in upper or lower case. Responses have it in upper case.
- \`limit\` and \`cursor\` can be empty or \`null\`, like absent.
- An unknown query parameter is \`invalid_parameter\`, like an unknown field of a body. \`/data\`,
  \`/meta\`, \`/healthz\`, \`/readyz\` and \`/metrics\` ignore it.

## Why a URL was discarded, or is outside

In the URL ledger (\`GET /crawler/jobs/{id}/urls\`), with \`status\` \`discarded\`. With
${Array.from(outsideReasons, (reason) => `\`${reason}\``).join(', ')},
a URL that was never requested is \`outside\`: the job was never to fetch it, and it counts in \`progress.outside\`.

| Reason | Meaning |
|---|---|
${table(discardReasons)}

## Why a URL failed

With \`status\` \`failed\`, after the last attempt; on a URL that is still \`queued\`, why the previous attempt failed:

| Reason | Meaning |
|---|---|
${table(errorReasons)}

## Findings of a job

In \`findings\` of a job (\`GET /crawler/jobs/{id}\`): why the result is less than the site. A crawl or batch without a
finding is \`complete\`. Each has its \`count\`, an \`example\`, and this remedy ([why](decisions/whole-jobs.md)).

| Code | Meaning | Remedy |
|---|---|---|
${codeRows(true)}

## Notices of a job

In \`notices\` of a job, each with a message and the time. Each message appears once; nothing is missing for them.

| Code | Meaning |
|---|---|
${codeRows(false)}
`;
}

/** Rows of findings, with their remedies, or of notices. */
function codeRows(areFindings: boolean): string {
  const rows = Object.entries(jobCodes).flatMap(([code, facts]) => {
    if (facts.missing !== areFindings) return [];
    const remedy = 'remedy' in facts ? ` ${facts.remedy} |` : '';
    return [`| \`${code}\` | ${facts.about} |${remedy}`];
  });
  return rows.join('\n');
}

/** docs/content.md with a new table of metadata. The rest of the page is written by hand. */
function contentPage(): string {
  /** Fields without a row in the table of sources: they are counted, computed, or taken from the response. */
  const others: Readonly<Record<string, string>> = {
    pageCount: 'the file itself',
    unreadableCharacters: 'the file itself',
    rendered: 'the [browser](browser.md)',
    tlsVerified: 'the connection',
    truncated: 'the [limits](limits.md)',
    warning: 'the file itself',
    headings: 'headings of the content',
    extractionMethod: 'the choice of the content',
    extractionQuality: 'the choice of the content',
    wordCount: 'the content as plain text',
    contentHash: 'the content as plain text',
    declaredThings: 'what the page [declares](extract.md)',
    declaredThingsOmitted: 'what the page [declares](extract.md)',
    extractedFrom: 'the [record](extract.md)',
    erasedAt: '`POST .../pages/{n}/erase`',
    statusCode: 'the response',
    contentType: 'header `Content-Type`',
    change: 'the job that `since` names',
    evidence: 'the job that `since` names',
    etag: 'header `ETag`',
    lastModified: 'header `Last-Modified`',
  };
  const rows = Object.entries(pageMetadata.shape).map(([name, field]) => {
    const sources = metadataSources[name]?.map((source) => source.name).join(', ') ?? others[name];
    if (sources === undefined)
      throw new Error(`The metadata field \`${name}\` has no source: add one to metadataSources or here.`);
    const { type } = z.toJSONSchema(field);
    const shown = type === 'array' ? (name === 'declaredThings' ? 'list of objects' : 'list of strings') : String(type);
    return `| \`${name}\` | ${shown} | ${field.description ?? ''} | ${sources} |`;
  });
  const table = `| Field | Type | What | Sources, in order |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  const [before, after] = readFileSync(path.join(root, 'docs/content.md'), 'utf8').split(
    /(?<=<!-- generated -->\n)[^]*(?=<!-- end -->)/,
  );
  if (before === undefined || after === undefined)
    throw new Error('docs/content.md lacks the marks between which the table of metadata stands.');
  return `${before}${table}${after}`;
}

/** The body of `GET /openapi.json`. The server gets no request, so it needs neither a store nor tokens. */
async function openapi(): Promise<string> {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const limits = { requestsPerMinute: 0, waitingPerOrg: 1, connections: 100, memoryBytes: 2 ** 30 };
  const options: Partial<ServerOptions> = { version, limits, host: '127.0.0.1' };
  const api = await createServer({} as Service, options as ServerOptions);
  return `${JSON.stringify(openApiOf(api), null, 2)}\n`;
}

/** Every route with its summary, by the subject of the API's own page. */
function routes(document: string): string {
  const { paths } = JSON.parse(document) as {
    paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string; readonly tags: string[] }>>>>;
  };
  const bySubject = new Map<string, string[]>();
  for (const [route, methods] of Object.entries(paths))
    for (const [method, { summary, tags }] of Object.entries(methods)) {
      const rows = bySubject.get(tags[0] ?? '') ?? [];
      bySubject.set(tags[0] ?? '', [...rows, `| \`${method.toUpperCase()} ${route}\` | ${summary} |`]);
    }
  return `# Routes

\`/docs\` of the service shows them with their parameters and fields, as the [OpenAPI document](openapi.json) does. A
request has \`Authorization: Bearer TOKEN\`. [Clients](clients.md) for TypeScript and Python exist; the
[Firecrawl API](firecrawl.md) is at \`/v2\` and \`/v1\`.
${Array.from(
  bySubject,
  ([subject, rows]) => `
## ${subject.replace(/^./u, (letter) => letter.toUpperCase())}

| | |
|---|---|
${rows.join('\n')}
`,
).join('')}`;
}

const check = process.argv.includes('--check');
const openapiDocument = await openapi();
for (const [name, content] of [
  ['docs/configuration.md', configuration()],
  ['docs/content.md', contentPage()],
  ['docs/errors.md', errors()],
  ['docs/limits.md', limits(settings({ checkNetworks: () => {} }))],
  ['docs/options.md', optionDocs()],
  ['docs/openapi.json', openapiDocument],
  ['docs/routes.md', routes(openapiDocument)],
  ['packages/client/openapi.ts', await clientTypes(openapiDocument)],
  ['clients/python/hayrake/types.py', pythonTypes(openapiDocument)],
  [
    'clients/python/hayrake/client.py',
    syncPython(readFileSync(path.join(root, 'clients/python/hayrake/aio.py'), 'utf8')),
  ],
] as const) {
  const file = path.join(root, name);
  if (!check) writeFileSync(file, content);
  else if (readFileSync(file, 'utf8') !== content) {
    console.error(`${name} differs from the code. \`npm run docs\` regenerates it.`);
    process.exitCode = 1;
  }
}
