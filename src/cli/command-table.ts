// Every command: its words, its arguments and options, and the function that runs it.
import { Option } from 'commander';
import type { SettingName } from '../config/config.ts';
import { permissions, usualPermissions } from '../core/permissions.ts';
import { exportNames } from '../export/formats.ts';
import { runBackup } from './commands/backup.ts';
import { runBlobsAdopt } from './commands/blobs.ts';
import { runCancel, runDelete } from './commands/cancel.ts';
import { runChanges } from './commands/changes.ts';
import { runCheck } from './commands/check.ts';
import { runConfig } from './commands/config.ts';
import { runCrawl, runReextract, runResume, runRetry } from './commands/crawl.ts';
import { runDocs } from './commands/docs.ts';
import { runDoctor } from './commands/doctor.ts';
import { runErase } from './commands/erase.ts';
import { runExport } from './commands/export.ts';
import { runGet } from './commands/get.ts';
import { runHealth } from './commands/health.ts';
import { listedStatuses, runJobs } from './commands/jobs.ts';
import { runMap } from './commands/map.ts';
import { runMcp } from './commands/mcp.ts';
import { runMigrate } from './commands/migrate.ts';
import { runOpen } from './commands/open.ts';
import { runRestore } from './commands/restore.ts';
import {
  runScheduleAdd,
  runScheduleList,
  runSchedulePause,
  runScheduleRemove,
  runScheduleRun,
  runScheduleShow,
} from './commands/schedule.ts';
import { runScrape } from './commands/scrape.ts';
import { runSearch } from './commands/search.ts';
import { runServe } from './commands/serve.ts';
import { runTokenCreate, runTokenList, runTokenRevoke } from './commands/token.ts';
import { runWebhookKey } from './commands/webhook-key.ts';
import { runWhy } from './commands/why.ts';
import type { Place } from '../options/option.ts';
import type { Flags } from './flags.ts';
import type { Program } from './program.ts';

export interface CommandRow {
  readonly about: string;
  /** The first argument names a job, here or of a running service; `run` gets its id. */
  readonly onJob?: true;
  /** Further arguments, each with its description. */
  readonly takes?: Readonly<Record<string, string>>;
  /** Has `--server`: the command can ask a running service. */
  readonly server?: true;
  /** Has the options of this request, but for some. */
  readonly request?: Place;
  readonly without?: readonly string[];
  /** Has the flags of commands that write files, or also those that shape pages. */
  readonly writes?: 'files' | 'shapedFiles';
  readonly options?: readonly (Option | readonly [flags: string, about: string, fallback?: string])[];
  /** The settings that the command reads. @default `data` */
  readonly settings?: readonly SettingName[] | 'all' | 'none';
  /** Gets the arguments, then the flags. Returns the exit code. */
  run(program: Program, ...given: readonly unknown[]): Promise<number>;
}

export const crawlSettings: readonly SettingName[] = [
  'data',
  'allowPrivate',
  'allowPorts',
  'caFile',
  'contact',
  'concurrency',
  'hostConcurrency',
  'hostDelayMs',
  'unreachableSeconds',
  'converterThreads',
  'diskFreeMb',
  'logLevel',
];

const page = { '<url>': 'the page: an absolute http or https URL' };
const resumeFlag = ['--resume', 'continue the crawls that were stopped in the terminal'] as const;
const outFlags = [
  ['--out <dir>', 'as with crawl'],
  ['--json', 'as with crawl'],
] as const;

const crawlOfJob = { onJob: true, writes: 'files', options: outFlags, settings: crawlSettings } as const;
const onSchedule = { server: true, takes: { '<id>': 'the id of the schedule, or the beginning of it' } } as const;

/** By their words. */
export const commandTable: Readonly<Record<string, CommandRow>> = {
  serve: {
    about: 'API, dashboard and crawler in one process',
    options: [resumeFlag],
    settings: 'all',
    run: (program, flags: Flags) => runServe(program, flags),
  },
  api: {
    about: 'only the API, next to workers on the same database',
    settings: 'all',
    run: (program, flags: Flags) => runServe(program, flags, 'api'),
  },
  worker: {
    about: 'only the crawler; with PostgreSQL, any number of them',
    options: [resumeFlag],
    settings: 'all',
    run: (program, flags: Flags) => runServe(program, flags, 'worker'),
  },
  mcp: {
    about: 'tools for agents (MCP on standard input and output)',
    options: [
      [
        '--server <url>',
        'use a running service instead of the data directory, with its token in HAYRAKE_TOKEN [HAYRAKE_URL]',
      ],
    ],
    settings: [...crawlSettings, 'browser', 'search'],
    run: runMcp,
  },
  crawl: {
    about: 'crawl a site now and write its pages',
    server: true,
    takes: { '[urls...]': 'start URLs: absolute, http or https' },
    request: 'crawl',
    writes: 'files',
    options: [
      ['--out <dir>', 'a file per page in DIR/HOST/, - for standard output (default: . in a terminal, else -)'],
      ['--json', 'JSON lines; with --out a file per page'],
      ['--urls-from <file>', 'more start URLs, one per line; - is standard input'],
      ['--strict', 'exit code 3 also at a limit that this command gave'],
    ],
    settings: crawlSettings,
    run: runCrawl,
  },
  scrape: {
    about: 'fetch one page and write it to standard output',
    server: true,
    takes: page,
    request: 'scrape',
    options: [['--json', 'text and metadata, or the reason why there is no page, as JSON']],
    settings: crawlSettings,
    run: runScrape,
  },
  map: {
    about: 'list the URLs of a site',
    server: true,
    takes: page,
    request: 'map',
    options: [['--json', 'write one JSON object: the URLs, and what is missing']],
    settings: crawlSettings,
    run: runMap,
  },
  resume: { about: 'continue an interrupted crawl', ...crawlOfJob, run: runResume },
  retry: {
    about: 'crawl the failed URLs of a job again, as a new job',
    ...crawlOfJob,
    request: 'retry',
    run: runRetry,
  },
  reextract: {
    about: 'convert pages again that --store-raw has kept',
    ...crawlOfJob,
    request: 'reextract',
    run: runReextract,
  },
  jobs: {
    about: 'list the jobs, newest first',
    server: true,
    options: [
      new Option('--status <status>', 'only jobs in this state').choices(listedStatuses),
      ['--limit <n>', 'maximum number of jobs', '50'],
      ['--json', 'write one JSON object per line'],
    ],
    run: runJobs,
  },
  cancel: { about: 'end a job; its pages stay readable', onJob: true, run: runCancel },
  delete: { about: 'end a job and delete its pages', onJob: true, run: runDelete },
  erase: {
    about: 'forget the text of one page; its number stays',
    onJob: true,
    takes: { '<page>': 'the number of the page' },
    options: [['--url', 'its URL too']],
    run: runErase,
  },
  open: {
    about: 'open a job in the dashboard of the service',
    onJob: true,
    options: [['--print', 'only print the link']],
    run: runOpen,
  },
  get: {
    about: 'write the pages of a job',
    onJob: true,
    writes: 'shapedFiles',
    options: [...outFlags, ['--meta', 'write only metadata, as NDJSON']],
    run: runGet,
  },
  search: {
    about: 'search the pages of a job',
    onJob: true,
    takes: { '<words...>': 'words, and phrases in quotes' },
    options: [
      ['--limit <n>', 'maximum number of hits, 1 to 100', '10'],
      ['--json', 'write one JSON object per hit'],
    ],
    settings: ['data', 'search', 'diskFreeMb'],
    run: runSearch,
  },
  export: {
    about: 'write the pages of a job as one file',
    onJob: true,
    options: [
      new Option('--format <format>', exportNames.join(', ')).makeOptionMandatory(),
      new Option('-o, --output <file>', 'the file to write; `-` is standard output').makeOptionMandatory(),
      ['--partial', 'export a job that has not ended: the pages that it has so far'],
      ['--force', 'replace an existing file'],
    ],
    run: runExport,
  },
  why: {
    about: 'explain why a URL is, or is not, among the pages',
    onJob: true,
    takes: { '<url>': 'the URL to explain, or its path such as /about' },
    options: [['--text', 'list what was left out of the page, of a job with --store-raw']],
    run: runWhy,
  },
  changes: {
    about: 'list what changed, for a job or schedule',
    onJob: true,
    options: [
      ['--diff <url>', 'how the text of this page differs from its earlier one; or its path such as /about'],
      ['--json', 'a line of JSON per change; with --diff one JSON object'],
    ],
    run: runChanges,
  },
  'token create': {
    about: 'create a token and show it once',
    options: [
      ['--name <name>', 'what `token list` shows, such as the program that uses it'],
      ['--org <name>', 'the org whose jobs it may see', 'default'],
      ['--permissions <list>', `comma-separated: ${permissions.join(', ')}`, usualPermissions.join(',')],
      ['--expires <time>', 'lifetime: a number and m, h or d, such as 30d. Default: until it is revoked'],
    ],
    run: runTokenCreate,
  },
  'token list': { about: 'list tokens, without the tokens themselves', run: runTokenList },
  'token revoke': {
    about: 'revoke a token at once',
    takes: { '<id>': 'the id that `token list` shows' },
    run: runTokenRevoke,
  },
  'webhook-key': {
    about: 'show the key that signs webhooks',
    options: [
      ['--org <name>', 'the org', 'default'],
      ['--rotate', 'create a new one; the old one also signs for 24 hours'],
    ],
    run: runWebhookKey,
  },
  'schedule add': {
    about: 'create a schedule and print its id; a running service makes its jobs',
    server: true,
    takes: {
      '<name>': 'what it is for',
      '<cron>': 'minute, hour, day of month, month, day of week; or @daily and the like',
      '<urls...>': 'start URLs: absolute, http or https',
    },
    request: 'crawl',
    // Each run is compared with the one before it.
    without: ['since'],
    options: [
      ['--time-zone <zone>', 'IANA time zone of the times (default: UTC)'],
      ['--keep <n>', 'ended runs whose results are kept (default: 10)'],
      ['--overlap <what>', 'when the last run has not ended: skip, or queue one (default: skip)'],
    ],
    settings: ['data', 'allowPrivate', 'allowPorts'],
    run: runScheduleAdd,
  },
  'schedule list': {
    about: 'list schedules, with the next run of each',
    server: true,
    options: [['--json', 'a line of JSON per schedule']],
    run: runScheduleList,
  },
  'schedule show': { ...onSchedule, about: 'print a schedule as JSON', run: runScheduleShow },
  'schedule run': { ...onSchedule, about: 'make a run now, and print the id of its job', run: runScheduleRun },
  'schedule pause': {
    ...onSchedule,
    about: 'make no runs until it is resumed',
    run: (program, id: string, flags: Flags) => runSchedulePause(program, id, flags, true),
  },
  'schedule resume': {
    ...onSchedule,
    about: 'make runs again',
    run: (program, id: string, flags: Flags) => runSchedulePause(program, id, flags, false),
  },
  'schedule rm': { ...onSchedule, about: 'delete a schedule; its jobs stay', run: runScheduleRemove },
  backup: {
    about: 'copy everything into one file, also during a crawl',
    takes: { '<file>': 'the file to write' },
    options: [
      ['--force', 'replace an existing file'],
      ['--quick', 'check only the structure of the copy, without reading pages'],
    ],
    run: runBackup,
  },
  check: {
    about: 'read everything and report damaged pages',
    options: [['--quick', 'check only the structure, without reading pages']],
    run: runCheck,
  },
  restore: {
    about: 'restore a backup into an empty data directory',
    takes: { '<file>': 'a file written by `backup`' },
    run: runRestore,
  },
  'blobs adopt': {
    about: 'make this database the owner of the objects, after it was restored or moved',
    settings: ['data', 'blobs', 's3Endpoint', 's3Region'],
    run: runBlobsAdopt,
  },
  migrate: {
    about: 'copy a data directory to an empty PostgreSQL database',
    options: [
      new Option(
        '--from <dir>',
        'the data directory; no hayrake may crawl with it during the copy',
      ).makeOptionMandatory(),
      [
        '--to <url>',
        'target: postgres://user:password@host:5432/database. Other users of this machine can see a password on the command line, so prefer to set HAYRAKE_DATABASE_URL and leave this out',
      ],
    ],
    settings: [],
    run: runMigrate,
  },
  config: { about: 'show each setting with its value and its source', settings: 'all', run: runConfig },
  doctor: {
    about: 'check all that hayrake depends on, and how to fix it',
    options: [['--json', 'write one JSON object']],
    settings: 'all',
    run: runDoctor,
  },
  health: {
    about: 'ask whether the running service accepts work',
    options: [['--server <url>', 'the address of the service. Default: the one in its settings']],
    settings: ['host', 'port'],
    run: runHealth,
  },
  docs: {
    about: 'print a document that a message names, or list them',
    takes: { '[topic]': 'such as browser, or a name or address that a message gives' },
    settings: 'none',
    run: (_, topic: string | undefined) => runDocs(topic),
  },
};

/** The descriptions of commands that have only commands of their own. */
export const commandGroups: Readonly<Record<string, string>> = {
  token: 'create, list and revoke API tokens',
  schedule: 'crawl at certain times',
  blobs: 'raw bodies and screenshots in object storage',
};
