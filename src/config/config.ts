// Every setting, once: its sources, its meaning, its default. docs/configuration.md is generated from this table.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { outputExpiryRange } from '../core/output-expiry.ts';
import { memoryBytes } from './memory-bytes.ts';
import { memoryMbMin } from './memory-plan.ts';
import { readCertificates } from './read-certificates.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** A proxy of the operator. With a name, only jobs that name it use it. */
export interface ProxyEntry {
  readonly name?: string;
  readonly url: URL;
}

export interface Config {
  readonly data: string;
  readonly databaseUrl: string | undefined;
  readonly databaseDirectUrl: string | undefined;
  readonly databaseConnections: number;
  readonly blobs: BlobsPlace | undefined;
  readonly blobsKeepDays: number;
  readonly s3Endpoint: URL | undefined;
  readonly s3Region: string;
  readonly s3AccessKeyId: string | undefined;
  readonly s3SecretAccessKey: string | undefined;
  readonly s3SessionToken: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  readonly url: URL | undefined;
  readonly allowPrivate: string;
  readonly allowPorts: readonly number[];
  readonly proxies: readonly ProxyEntry[];
  readonly proxyRule: 'sticky' | 'round_robin';
  readonly proxyResolves: boolean;
  /** The certificates of the file, in PEM format. */
  readonly caFile: readonly string[];
  readonly webhookHttp: boolean;
  readonly contact: string | undefined;
  readonly concurrency: number;
  readonly hostConcurrency: number;
  readonly hostDelayMs: number;
  /** Null: until they are deleted. */
  readonly outputExpirySeconds: number | null;
  readonly unreachableSeconds: number;
  readonly memoryMb: number;
  readonly converterThreads: number;
  readonly browser: string;
  readonly browserSandbox: 'require' | 'off';
  readonly browserPages: number;
  readonly diskFreeMb: number;
  readonly search: 'on' | 'off';
  readonly firecrawl: 'on' | 'off';
  readonly webSearchUrl: URL | undefined;
  readonly modelUrl: URL | undefined;
  readonly model: string;
  readonly modelKey: string;
  readonly modelCallsPerDay: number;
  readonly loaderSeconds: number;
  readonly corsOrigins: readonly string[];
  readonly publicUrl: string | undefined;
  readonly requestsPerMinute: number;
  readonly jobsPerOrg: number;
  readonly schedulesPerOrg: number;
  readonly jobUrls: number;
  readonly lanesPerOrg: number;
  readonly waitingPerOrg: number;
  readonly connections: number;
  readonly logLevel: LogLevel;
}

/** Where raw bodies are, outside the database. */
export interface BlobsPlace {
  readonly bucket: string;
  /** Without slashes at its ends; can be empty. */
  readonly prefix: string;
}

export type SettingName = keyof Config;

export interface Setting<Name extends SettingName> {
  readonly env: string;
  /** Without dashes. Absent if a command line would reveal a secret. */
  readonly flag?: string;
  readonly placeholder: string;
  /** As a person would write it; empty if there is none. */
  readonly default: string;
  readonly description: string;
  /** Throws an `Error` with a sentence that says what to write. */
  parse(text: string): Config[Name];
  readonly secret?: boolean;
}

export type Settings = { readonly [Name in SettingName]: Setting<Name> };

export interface SettingRules {
  /** Throws an `Error` when the text is not a list of networks with or without ports. */
  checkNetworks(text: string): void;
}

export function settings(rules: SettingRules): Settings {
  const memoryMbMax = Math.max(memoryMbMin, Math.floor(memoryBytes() / 2 ** 20));
  return {
    data: {
      env: 'HAYRAKE_DATA',
      flag: 'data',
      placeholder: 'DIR',
      default: './.hayrake',
      description:
        'Directory for everything: jobs, pages, tokens. Created if missing. Not used with a PostgreSQL database.',
      parse: (text) => path.resolve(notEmpty(text)),
    },
    databaseUrl: {
      env: 'HAYRAKE_DATABASE_URL',
      placeholder: 'URL',
      default: '',
      secret: true,
      description:
        'PostgreSQL database for everything, instead of the directory: `postgres://user:password@host:5432/database`. Needed for more than one process (docs/postgresql.md).',
      parse: databaseUrl,
    },
    databaseDirectUrl: {
      env: 'HAYRAKE_DATABASE_DIRECT_URL',
      placeholder: 'URL',
      default: '',
      secret: true,
      description:
        'The same PostgreSQL database without a pooler in between. Needed if HAYRAKE_DATABASE_URL leads to a pooler in transaction mode (docs/postgresql.md).',
      parse: databaseUrl,
    },
    databaseConnections: {
      env: 'HAYRAKE_DATABASE_CONNECTIONS',
      flag: 'database-connections',
      placeholder: 'N',
      default: '10',
      description: 'Maximum number of connections of one process to a PostgreSQL database, besides two more, 2 to 500.',
      parse: (text) => wholeNumber(text, 2, 500),
    },
    blobs: {
      env: 'HAYRAKE_BLOBS',
      flag: 'blobs',
      placeholder: 'PLACE',
      default: '',
      description:
        'Where raw bodies (`store_raw`) are kept instead of the database: `s3://bucket/prefix`, in S3 or a store with its API (docs/object-storage.md). One database for each prefix.',
      parse: blobsPlace,
    },
    blobsKeepDays: {
      env: 'HAYRAKE_BLOBS_KEEP_DAYS',
      flag: 'blobs-keep-days',
      placeholder: 'DAYS',
      default: '7',
      description:
        'How long an object is kept that no job names any more, 0 to 3650: a backup of the database is whole for as long.',
      parse: (text) => wholeNumber(text, 0, 3_650),
    },
    s3Endpoint: {
      env: 'HAYRAKE_S3_ENDPOINT',
      flag: 's3-endpoint',
      placeholder: 'URL',
      default: '',
      description:
        'Address of the object store, such as `https://minio.example:9000`, in any network. http:// only on this machine or in a network of HAYRAKE_ALLOW_PRIVATE. Default: S3 of Amazon in AWS_REGION.',
      parse: serviceUrl,
    },
    s3Region: {
      env: 'AWS_REGION',
      flag: 's3-region',
      placeholder: 'REGION',
      default: 'us-east-1',
      description: 'Region of the bucket.',
      parse: region,
    },
    s3AccessKeyId: {
      env: 'AWS_ACCESS_KEY_ID',
      placeholder: 'KEY',
      default: '',
      secret: true,
      description: 'Key of the object store, with the rights to read, write, delete and list objects below the prefix.',
      parse: notEmpty,
    },
    s3SecretAccessKey: {
      env: 'AWS_SECRET_ACCESS_KEY',
      placeholder: 'SECRET',
      default: '',
      secret: true,
      description: 'The secret of that key.',
      parse: notEmpty,
    },
    s3SessionToken: {
      env: 'AWS_SESSION_TOKEN',
      placeholder: 'TOKEN',
      default: '',
      secret: true,
      description: 'The session of that key, if it is a temporary one.',
      parse: notEmpty,
    },
    host: {
      env: 'HAYRAKE_HOST',
      flag: 'host',
      placeholder: 'ADDRESS',
      default: '127.0.0.1',
      description: 'Address that the API listens on. For any but a loopback address, a token must already exist.',
      parse: notEmpty,
    },
    port: {
      env: 'HAYRAKE_PORT',
      flag: 'port',
      placeholder: 'PORT',
      default: '8380',
      description: 'Port that the API listens on, 0 to 65535. 0 takes a free one.',
      parse: (text) => wholeNumber(text, 0, 65_535),
    },
    token: {
      env: 'HAYRAKE_TOKEN',
      placeholder: 'TOKEN',
      default: '',
      secret: true,
      description:
        'A token for automation, accepted from the start, with every permission: 32 or more printable characters.',
      parse: token,
    },
    url: {
      env: 'HAYRAKE_URL',
      placeholder: 'URL',
      default: '',
      description:
        'Address of a running service, for commands that can use one (`--server`), with a token of it in HAYRAKE_TOKEN.',
      parse: serviceUrl,
    },
    allowPrivate: {
      env: 'HAYRAKE_ALLOW_PRIVATE',
      flag: 'allow-private',
      placeholder: 'NETWORKS',
      default: '',
      description:
        'Private networks that jobs may enter. With a port or with all ports: `10.0.0.0/8`, `127.0.0.1:8080`, `[fd00::/8]:443`. Only a job with a start URL inside a network enters it (SECURITY.md). Empty: public addresses only.',
      parse: (text) => {
        if (text.trim() !== '') rules.checkNetworks(text);
        return text.trim();
      },
    },
    allowPorts: {
      env: 'HAYRAKE_ALLOW_PORTS',
      flag: 'allow-ports',
      placeholder: 'PORTS',
      default: '',
      description:
        'Ports of public addresses that may be crawled besides 80, 443 and 8000 to 8999, such as `3000,9090`. HAYRAKE_ALLOW_PRIVATE has the ports of private networks.',
      parse: (text) => (text.trim() === '' ? [] : text.split(',').map((port) => wholeNumber(port.trim(), 1, 65_535))),
    },
    proxies: {
      env: 'HAYRAKE_PROXY',
      placeholder: 'URLS',
      default: '',
      secret: true,
      description:
        'Proxy for all fetches, or several, separated by commas: `http://[user:password@]host:port` (port 80 if none is given) or `socks5://...` (1080). It gets only checked IP addresses (SECURITY.md). `NAME=URL` is for jobs with `proxy: NAME` only. `HTTP_PROXY` and similar variables are ignored.',
      parse: proxyList,
    },
    proxyRule: {
      env: 'HAYRAKE_PROXY_RULE',
      flag: 'proxy-rule',
      placeholder: 'RULE',
      default: 'sticky',
      description:
        'Which of several proxies gets a connection: `sticky`, the same for all connections to a host, or `round_robin`, each in turn. The pace of a host holds over all of them.',
      parse: (text) => oneOf(text, ['sticky', 'round_robin']),
    },
    proxyResolves: {
      env: 'HAYRAKE_PROXY_RESOLVES',
      flag: 'proxy-resolves',
      placeholder: 'BOOLEAN',
      default: 'false',
      description:
        'Whether the proxy resolves names, for networks where only it can: `true` or `false`. Hosts behind the proxy can then be reached under any name of the web (SECURITY.md).',
      parse: (text) => oneOf(text, ['true', 'false']) === 'true',
    },
    caFile: {
      env: 'HAYRAKE_CA_FILE',
      flag: 'ca-file',
      placeholder: 'FILE',
      default: '',
      description:
        'File with certificates of further authorities (PEM), such as that of your own network, trusted for every job, besides those that Node trusts. Read at start.',
      parse: (text) => (text === '' ? [] : readCertificates(notEmpty(text))),
    },
    webhookHttp: {
      env: 'HAYRAKE_WEBHOOK_HTTP',
      flag: 'webhook-http',
      placeholder: 'BOOLEAN',
      default: 'false',
      description:
        'Whether `webhook_url` may be an http URL, for receivers in your own network: `true` or `false`. Messages are then signed but not encrypted.',
      parse: (text) => oneOf(text, ['true', 'false']) === 'true',
    },
    contact: {
      env: 'HAYRAKE_CONTACT',
      flag: 'contact',
      placeholder: 'URL_OR_MAIL',
      default: '',
      description: 'Contact in the user agent, so that site owners can reach you: `hayrake/VERSION (+URL or mail)`.',
      parse: contact,
    },
    concurrency: {
      env: 'HAYRAKE_CONCURRENCY',
      flag: 'concurrency',
      placeholder: 'N',
      default: '64',
      description:
        'Maximum number of requests in flight, over all hosts, 1 to 1000; fewer if the process may not open that many files.',
      parse: (text) => wholeNumber(text, 1, 1_000),
    },
    hostConcurrency: {
      env: 'HAYRAKE_HOST_CONCURRENCY',
      flag: 'host-concurrency',
      placeholder: 'N',
      default: '8',
      description:
        'Maximum number of requests in flight to one host (a name and a port; names of one domain on one address count as one), over all jobs, 1 to 1000. A crawl starts with two and rises to this limit while the host responds quickly.',
      parse: (text) => wholeNumber(text, 1, 1_000),
    },
    hostDelayMs: {
      env: 'HAYRAKE_HOST_DELAY_MS',
      flag: 'host-delay-ms',
      placeholder: 'MS',
      default: '0',
      description:
        'Minimum delay in milliseconds between the starts of two requests to one host, 0 to 3600000. A longer `Crawl-delay` of the site prevails.',
      parse: (text) => wholeNumber(text, 0, 3_600_000),
    },
    outputExpirySeconds: {
      env: 'HAYRAKE_OUTPUT_EXPIRY',
      flag: 'output-expiry',
      placeholder: 'S',
      default: 'never',
      description:
        'How long the results of a job are kept after its end, without `output_expiry`: seconds, 60 to 315360000, or `never`.',
      parse: (text) => (text === 'never' ? null : wholeNumber(text, outputExpiryRange.min, outputExpiryRange.max)),
    },
    unreachableSeconds: {
      env: 'HAYRAKE_UNREACHABLE_SECONDS',
      flag: 'unreachable-seconds',
      placeholder: 'S',
      default: '900',
      description:
        'Seconds for which a host is retried if it or its robots.txt does not respond any more, before its URLs fail, 1 to 86400. `unreachable_seconds` of a job is for hosts that have never responded.',
      parse: (text) => wholeNumber(text, 1, 86_400),
    },
    memoryMb: {
      env: 'HAYRAKE_MEMORY_MB',
      flag: 'memory-mb',
      placeholder: 'MIB',
      default: String(memoryMbMax),
      description:
        'MiB that the process and its browser may use, 256 to what the container or machine has. Converter threads, their heaps, buffers, caches and pages in the browser follow from it (docs/limits.md). The system does not enforce it: give the container the same limit.',
      parse: (text) => {
        const mb = wholeNumber(text, 1, 99_999_999);
        if (mb < memoryMbMin)
          throw new Error(`write ${memoryMbMin} or more, and give the container as much: a crawl needs it.`);
        if (mb > memoryMbMax)
          throw new Error(`the process has ${memoryMbMax} MiB. Write no more, or give the container or machine more.`);
        return mb;
      },
    },
    converterThreads: {
      env: 'HAYRAKE_CONVERTER_THREADS',
      flag: 'converter-threads',
      placeholder: 'N',
      default: String(Math.min(8, availableParallelism())),
      description: 'Threads that convert pages, 1 to 64. Each takes 60 to 130 MB with ordinary pages.',
      parse: (text) => wholeNumber(text, 1, 64),
    },
    browser: {
      env: 'HAYRAKE_BROWSER',
      flag: 'browser-binary',
      placeholder: 'PATH',
      default: 'auto',
      description:
        'Browser for pages that need one (docs/browser.md): `auto` looks for chromium-headless-shell, Chromium and Chrome; `off` uses none; anything else is the path of a binary, not of a script.',
      parse: browser,
    },
    browserSandbox: {
      env: 'HAYRAKE_BROWSER_SANDBOX',
      flag: 'browser-sandbox',
      placeholder: 'MODE',
      default: 'require',
      description:
        'Isolation of the browser: `require` runs it only in a network namespace and with its own sandbox, `off` without both (docs/browser.md has the risk).',
      parse: (text) => oneOf(text, ['require', 'off']),
    },
    browserPages: {
      env: 'HAYRAKE_BROWSER_PAGES',
      flag: 'browser-pages',
      placeholder: 'N',
      default: String(availableParallelism() + 1),
      description: 'Pages open in the browser at a time, 1 to 64, with 50 to 100 MB each.',
      parse: (text) => wholeNumber(text, 1, 64),
    },
    diskFreeMb: {
      env: 'HAYRAKE_DISK_FREE_MB',
      flag: 'disk-free-mb',
      placeholder: 'MIB',
      default: '256',
      description:
        'MiB of the disk to keep free, 0 to 999999. With less, the crawl pauses and new jobs are refused, until a tenth more is free. 0 disables the check.',
      parse: (text) => wholeNumber(text, 0, 999_999),
    },
    search: {
      env: 'HAYRAKE_SEARCH',
      flag: 'search',
      placeholder: 'MODE',
      default: 'on',
      description:
        'Search in the pages of jobs (docs/results.md#search): `on`, or `off`. It costs nothing until the first search of a job, which indexes its pages.',
      parse: (text) => oneOf(text, ['on', 'off']),
    },
    firecrawl: {
      env: 'HAYRAKE_FIRECRAWL',
      flag: 'firecrawl',
      placeholder: 'MODE',
      default: 'on',
      description:
        'Endpoints for clients of the Firecrawl API, under `/v1` and `/v2` (docs/firecrawl.md): `on`, or `off`.',
      parse: (text) => oneOf(text, ['on', 'off']),
    },
    webSearchUrl: {
      env: 'HAYRAKE_WEB_SEARCH_URL',
      flag: 'web-search-url',
      placeholder: 'URL',
      default: '',
      description:
        'Address of a SearXNG with the format `json`, for `POST /v2/search` (docs/firecrawl.md). Queries of clients are sent there. Empty: that endpoint is refused.',
      parse: serviceUrl,
    },
    modelUrl: {
      env: 'HAYRAKE_MODEL_URL',
      flag: 'model-url',
      placeholder: 'URL',
      default: '',
      description:
        'Address of a language model with the Chat Completions API, such as `http://127.0.0.1:11434/v1`, for `extract` with `model: true` (docs/extract.md). Texts of pages are sent there. Empty: there is no model.',
      parse: serviceUrl,
    },
    model: {
      env: 'HAYRAKE_MODEL',
      flag: 'model',
      placeholder: 'NAME',
      default: '',
      description: 'Name of the model at `HAYRAKE_MODEL_URL`.',
      parse: (text) => text,
    },
    modelKey: {
      env: 'HAYRAKE_MODEL_KEY',
      placeholder: 'KEY',
      default: '',
      secret: true,
      description: 'Key that is sent to `HAYRAKE_MODEL_URL` as bearer token.',
      parse: (text) => text,
    },
    modelCallsPerDay: {
      env: 'HAYRAKE_MODEL_CALLS_PER_DAY',
      flag: 'model-calls-per-day',
      placeholder: 'N',
      default: '1000',
      description: 'Calls of the model per org and day in UTC, 0 to 1000000. 0: no limit.',
      parse: (text) => wholeNumber(text, 0, 1_000_000),
    },
    loaderSeconds: {
      env: 'HAYRAKE_LOADER_SECONDS',
      flag: 'loader-seconds',
      placeholder: 'S',
      default: '30',
      description:
        'Seconds for all pages of one request to `POST /loader` (docs/clients.md), 1 to 300. Later pages have an error in their place.',
      parse: (text) => wholeNumber(text, 1, 300),
    },
    corsOrigins: {
      env: 'HAYRAKE_CORS_ORIGINS',
      flag: 'cors-origins',
      placeholder: 'LIST',
      default: '',
      description:
        'Origins whose pages can use the API in a browser, with a token, such as `https://app.example.com`, separated by commas, or `*` for all. Empty: none.',
      parse: origins,
    },
    publicUrl: {
      env: 'HAYRAKE_PUBLIC_URL',
      flag: 'public-url',
      placeholder: 'URL',
      default: '',
      description:
        'Where clients reach this service, such as `https://example.com/crawl`, for absolute URLs in responses (docs/firecrawl.md). Set it behind a reverse proxy. Default: `http` and the `Host` of the request.',
      parse: publicUrl,
    },
    requestsPerMinute: {
      env: 'HAYRAKE_REQUESTS_PER_MINUTE',
      flag: 'requests-per-minute',
      placeholder: 'N',
      default: '6000',
      description: 'API requests per minute and org, 0 to 1000000. 0 disables the limit.',
      parse: (text) => wholeNumber(text, 0, 1_000_000),
    },
    jobsPerOrg: {
      env: 'HAYRAKE_JOBS_PER_ORG',
      flag: 'jobs-per-org',
      placeholder: 'N',
      default: '1000',
      description: 'Unfinished jobs per org, 1 to 1000000.',
      parse: (text) => wholeNumber(text, 1, 1_000_000),
    },
    schedulesPerOrg: {
      env: 'HAYRAKE_SCHEDULES_PER_ORG',
      flag: 'schedules-per-org',
      placeholder: 'N',
      default: '1000',
      description:
        'Schedules per org, 1 to 100000. Their runs, at most one unfinished for each, are not refused by HAYRAKE_JOBS_PER_ORG.',
      parse: (text) => wholeNumber(text, 1, 100_000),
    },
    jobUrls: {
      env: 'HAYRAKE_JOB_URLS',
      flag: 'job-urls',
      placeholder: 'N',
      default: '1000000',
      description:
        'URLs that one job lists and crawls, 1000 to 50000000. The job only counts further ones (docs/performance.md has the disk per URL).',
      parse: (text) => wholeNumber(text, 1_000, 50_000_000),
    },
    lanesPerOrg: {
      env: 'HAYRAKE_LANES_PER_ORG',
      flag: 'lanes-per-org',
      placeholder: 'N',
      default: '0',
      description:
        'Hosts that one process works on at a time for one org, 0 to 4000. 0 disables the limit: orgs share the lanes evenly. It never delays the first request of a job and `POST /scraper/scrape`.',
      parse: (text) => wholeNumber(text, 0, 4_000),
    },
    waitingPerOrg: {
      env: 'HAYRAKE_WAITING_PER_ORG',
      flag: 'waiting-per-org',
      placeholder: 'N',
      default: '100',
      description:
        'Requests per org that wait for pages at a time, 1 to 100000: reading results and URLs, streams, and `POST /scraper/scrape`.',
      parse: (text) => wholeNumber(text, 1, 100_000),
    },
    connections: {
      env: 'HAYRAKE_CONNECTIONS',
      flag: 'connections',
      placeholder: 'N',
      default: '1000',
      description:
        'Connections to the API at a time, 10 to 100000; fewer if the process may not open that many files. A further connection replaces the one that has been idle longest.',
      parse: (text) => wholeNumber(text, 10, 100_000),
    },
    logLevel: {
      env: 'HAYRAKE_LOG_LEVEL',
      flag: 'log-level',
      placeholder: 'LEVEL',
      default: 'info',
      description: 'Level of the log on standard error: `debug`, `info`, `warn`, `error` or `silent`.',
      parse: (text) => oneOf(text, ['debug', 'info', 'warn', 'error', 'silent']),
    },
  };
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw new Error('it is empty.');
  return text.trim();
}

function wholeNumber(text: string, min: number, max: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max)
    throw new Error(`write a whole number from ${min} to ${max}.`);
  return Number(text);
}

function browser(text: string): string {
  const given = notEmpty(text);
  if (given === 'auto' || given === 'off' || path.isAbsolute(given)) return given;
  throw new Error('write auto, off, or the absolute path of a Chromium binary.');
}

function oneOf<const Values extends readonly string[]>(text: string, values: Values): Values[number] {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`write one of ${values.join(', ')}.`);
  return found;
}

function token(text: string): string {
  if (!/^[\x21-\x7e]{32,1000}$/.test(text))
    throw new Error(
      'a token is 32 to 1,000 printable characters without spaces. `openssl rand -hex 32` makes a good one.',
    );
  if (new Set(text).size < 8) throw new Error('a token with so few different characters can be guessed.');
  return text;
}

function serviceUrl(text: string): URL {
  const url = URL.parse(text.trim());
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isHttp || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error('write the http or https address of a service, like http://127.0.0.1:8380.');
  return url;
}

function contact(text: string): string {
  if (!/^[\x21-\x7e]{3,200}$/.test(text) || /[()]/.test(text))
    throw new Error('write a URL or a mail address, at most 200 characters.');
  return text;
}

function origins(text: string): readonly string[] {
  const given = text.split(',').map((part) => part.trim());
  const wrong = given.find((origin) => origin !== '' && origin !== '*' && URL.parse(origin)?.origin !== origin);
  if (wrong !== undefined) throw new Error('write origins such as https://app.example.com, separated by commas, or *.');
  return given.filter((origin) => origin !== '');
}

function publicUrl(text: string): string {
  const url = URL.parse(text.trim());
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new Error('write an http or https URL without query and fragment, like https://crawl.example.');
  return url.href.replace(/\/+$/, '');
}

function proxyList(text: string): readonly ProxyEntry[] {
  const entries = text.split(',').map(proxyEntry);
  const names = entries.flatMap(({ name }) => (name === undefined ? [] : [name]));
  if (new Set(names).size < names.length) throw new Error('two proxies have one name. Give each another name.');
  return entries;
}

/** Never repeats the given text: it can contain a password. */
function proxyEntry(text: string): ProxyEntry {
  const [, name, address = ''] = /^(?:([\w-]{1,40})=)?([^]*)$/u.exec(text.trim()) ?? [];
  const url = URL.parse(address);
  // Only a URL without a path is a proxy; a URL of another scheme than http has an empty one.
  const isWhole =
    /^\/?$/u.test(url?.pathname ?? 'none') && url?.hostname !== '' && url?.search === '' && url.hash === '';
  const isKnown = url?.protocol === 'http:' || url?.protocol === 'socks5:';
  const isLogin = [url?.username, url?.password].every(
    (part = '') => isDecodable(part) && (url?.protocol === 'http:' || Buffer.byteLength(part) <= socksLoginBytesMax),
  );
  if (!url || !isKnown || !isWhole || !isLogin)
    throw new Error(
      'write the URL of a proxy, like http://user:password@proxy.example:3128 or socks5://proxy.example:1080, with @ in a password written %40, a comma %2C and % written %25. NAME= in front makes it one for jobs that name it. Other kinds are not supported.',
    );
  return { ...(name !== undefined && { name }), url };
}

/** RFC 1929. */
const socksLoginBytesMax = 255;

/** Never repeats the given text: it can contain a password. */
function databaseUrl(text: string): string {
  const url = URL.parse(text.trim());
  const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:';
  if (!url || !isPostgres || !isDecodable(url.username) || !isDecodable(url.password))
    throw new Error(
      'write the URL of a PostgreSQL database, like postgres://user:password@db.example:5432/hayrake, with @ in a password written %40 and % written %25.',
    );
  return text.trim();
}

function blobsPlace(text: string): BlobsPlace {
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]{0,300}))?$/.exec(text.trim()) ?? [];
  const parts = prefix.split('/').filter((part) => part !== '');
  if (bucket === undefined || parts.some((part) => part === '.' || part === '..'))
    throw new Error('write s3://bucket/prefix, with letters, digits, dots, dashes and underscores.');
  return { bucket, prefix: parts.join('/') };
}

function region(text: string): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) throw new Error('write the name of a region, such as eu-central-1.');
  return text;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
