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
  /** Three, without the name of the program. */
  readonly examples: readonly string[];
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
  /** Gets the arguments, then the flags. Returns the exit code. Absent if there are only commands below it. */
  run?(program: Program, ...given: readonly unknown[]): Promise<number>;
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
  ['-o, --out <dir>', 'as with crawl'],
  ['--json', 'as with crawl'],
] as const;

const crawlOfJob = { onJob: true, writes: 'files', options: outFlags, settings: crawlSettings } as const;

/** A command on one schedule. */
function onSchedule(word: string, about: string, run: CommandRow['run'] & {}): CommandRow {
  const example = `schedule ${word} 7ZC4M8N0EM0V3T2K9QJ5RCWBDA`;
  return {
    about,
    examples: [example, `${example} --data /var/lib/hayrake`, `${example} --server http://127.0.0.1:8380`],
    server: true,
    takes: { '<id>': 'the id of the schedule, or the beginning of it' },
    run,
  };
}

/** By their groups in the help, and by their words. */
export const commandTable: Readonly<Record<string, Readonly<Record<string, CommandRow>>>> = {
  'Crawl:': {
    crawl: {
      about: 'crawl a site now and write its pages',
      examples: [
        'crawl https://example.com/docs --scope path --out pages',
        "crawl https://example.com --limit 100 --exclude '/blog/**' --json > pages.jsonl",
        "crawl https://example.com --header 'Authorization: Bearer SECRET'",
      ],
      server: true,
      takes: { '[urls...]': 'start URLs: absolute, http or https' },
      request: 'crawl',
      writes: 'files',
      options: [
        ['-o, --out <dir>', 'a file per page in DIR/HOST/, - for standard output (default: . in a terminal, else -)'],
        ['--json', 'JSON lines; with --out a file per page'],
        ['--urls-from <file>', 'more start URLs, one per line; - is standard input'],
        ['--strict', 'exit code 3 also at a limit that this command gave'],
      ],
      settings: crawlSettings,
      run: runCrawl,
    },
    scrape: {
      about: 'fetch one page and write it to standard output',
      examples: [
        'scrape https://example.com > page.md',
        'scrape https://example.com --formats source,links --json',
        'scrape https://example.com --browser always --wait-for main',
      ],
      server: true,
      takes: page,
      request: 'scrape',
      options: [
        ['-o, --out <file>', 'write to this file, and replace it'],
        ['--json', 'text and metadata, or the reason why there is no page, as JSON'],
      ],
      settings: crawlSettings,
      run: runScrape,
    },
    map: {
      about: 'list the URLs of a site',
      examples: [
        'map https://example.com > urls.txt',
        'map https://example.com --containing /blog/ --limit 100',
        'map https://example.com | hayrake crawl --urls-from - --max-depth 0 --out pages',
      ],
      server: true,
      takes: page,
      request: 'map',
      options: [['--json', 'write one JSON object: the URLs, and what is missing']],
      settings: crawlSettings,
      run: runMap,
    },
    resume: {
      about: 'continue an interrupted crawl',
      examples: ['resume last', 'resume last --out pages', 'resume 7ZC4M --server http://127.0.0.1:8380'],
      ...crawlOfJob,
      run: runResume,
    },
    retry: {
      about: 'crawl the failed URLs of a job again, as a new job',
      examples: [
        'retry last',
        "retry last --header 'Authorization: Bearer SECRET'",
        'retry 7ZC4M --json > again.jsonl',
      ],
      ...crawlOfJob,
      request: 'retry',
      run: runRetry,
    },
    reextract: {
      about: 'convert pages again that --store-raw has kept',
      examples: [
        'reextract last --full --out pages',
        'reextract last --extract fields.json --json > pages.jsonl',
        "reextract 7ZC4M --exclude-elements '.comments'",
      ],
      ...crawlOfJob,
      request: 'reextract',
      run: runReextract,
    },
  },
  'Read what was crawled:': {
    jobs: {
      about: 'list the jobs, newest first',
      examples: ['jobs', 'jobs --status stopped', 'jobs --json --limit 5'],
      server: true,
      options: [
        new Option('--status <status>', 'only jobs in this state').choices(listedStatuses),
        ['--limit <n>', 'maximum number of jobs', '50'],
        ['--json', 'write one JSON object per line'],
      ],
      run: runJobs,
    },
    get: {
      about: 'write the pages of a job',
      examples: ['get last --out pages', 'get last --json > pages.jsonl', 'get last --chunk heading > chunks.jsonl'],
      onJob: true,
      writes: 'shapedFiles',
      options: [...outFlags, ['--meta', 'write only metadata, as NDJSON']],
      run: runGet,
    },
    search: {
      about: 'search the pages of a job',
      examples: ['search last install', 'search last \'"exact words"\' --limit 20', 'search 7ZC4M install --json'],
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
      examples: [
        'export last --format zip -o pages.zip',
        'export last --format parquet -o pages.parquet',
        'export last --format llms.txt -o -',
      ],
      onJob: true,
      options: [
        new Option('--format <format>', exportNames.join(', ')).makeOptionMandatory(),
        new Option('-o, --out <file>', 'the file to write; `-` is standard output').makeOptionMandatory(),
        ['--partial', 'export a job that has not ended: the pages that it has so far'],
        ['--force', 'replace an existing file'],
      ],
      run: runExport,
    },
    why: {
      about: 'explain why a URL is, or is not, among the pages',
      examples: ['why last /about', 'why last https://example.com/about', 'why last /about --text'],
      onJob: true,
      takes: { '<url>': 'the URL to explain, or its path such as /about' },
      options: [['--text', 'list what was left out of the page, of a job with --store-raw']],
      run: runWhy,
    },
    changes: {
      about: 'list what changed, for a job or schedule',
      examples: ['changes last', 'changes last --diff /about', 'changes 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --json'],
      onJob: true,
      options: [
        ['--diff <url>', 'how the text of this page differs from its earlier one; or its path such as /about'],
        ['--json', 'a line of JSON per change; with --diff one JSON object'],
      ],
      run: runChanges,
    },
    open: {
      about: 'open a job in the dashboard of the service',
      examples: ['open last', 'open 7ZC4M', 'open last --print'],
      onJob: true,
      options: [['--print', 'only print the link']],
      run: runOpen,
    },
  },
  'End jobs:': {
    cancel: {
      about: 'end a job; its pages stay readable',
      examples: ['cancel last', 'cancel 7ZC4M', 'cancel last --server http://127.0.0.1:8380'],
      onJob: true,
      run: runCancel,
    },
    delete: {
      about: 'end a job and delete its pages',
      examples: ['delete last', 'delete 7ZC4M', 'delete last --server http://127.0.0.1:8380'],
      onJob: true,
      run: runDelete,
    },
    erase: {
      about: 'forget the text of one page; its number stays',
      examples: ['erase last 7', 'erase 7ZC4M 7 --url', 'erase last 7 --server http://127.0.0.1:8380'],
      onJob: true,
      takes: { '<page>': 'the number of the page' },
      options: [['--url', 'its URL too']],
      run: runErase,
    },
  },
  'Run the service:': {
    serve: {
      about: 'API, dashboard and crawler in one process',
      examples: ['serve', 'serve --data /var/lib/hayrake --port 9000', 'serve --allow-private 10.0.0.0/8'],
      options: [resumeFlag],
      settings: 'all',
      run: (program, flags: Flags) => runServe(program, flags),
    },
    api: {
      about: 'only the API, next to workers on the same database',
      examples: ['api', 'api --host 0.0.0.0', 'api --port 9000'],
      settings: 'all',
      run: (program, flags: Flags) => runServe(program, flags, 'api'),
    },
    worker: {
      about: 'only the crawler; with PostgreSQL, any number of them',
      examples: ['worker', 'worker --port 9001', 'worker --resume'],
      options: [resumeFlag],
      settings: 'all',
      run: (program, flags: Flags) => runServe(program, flags, 'worker'),
    },
    mcp: {
      about: 'tools for agents (MCP on standard input and output)',
      examples: ['mcp', 'mcp --data ~/crawls', 'mcp --server http://127.0.0.1:8380'],
      options: [
        [
          '--server <url>',
          'use a running service instead of the data directory, with its token in HAYRAKE_TOKEN [HAYRAKE_URL]',
        ],
      ],
      settings: [...crawlSettings, 'browser', 'search'],
      run: runMcp,
    },
    token: {
      about: 'create, list and revoke API tokens',
      examples: ['token create --name laptop', 'token list', 'token revoke t_4f2a'],
    },
    'token create': {
      about: 'create a token and show it once',
      examples: [
        'token create --name laptop',
        'token create --org acme --permissions read',
        'token create --expires 30d --data /var/lib/hayrake',
      ],
      options: [
        ['--name <name>', 'what `token list` shows, such as the program that uses it'],
        ['--org <name>', 'the org whose jobs it may see', 'default'],
        ['--permissions <list>', `comma-separated: ${permissions.join(', ')}`, usualPermissions.join(',')],
        ['--expires <time>', 'lifetime: a number and m, h or d, such as 30d. Default: until it is revoked'],
      ],
      run: runTokenCreate,
    },
    'token list': {
      about: 'list tokens, without the tokens themselves',
      examples: ['token list', 'token list --data /var/lib/hayrake', 'token list | grep active'],
      run: runTokenList,
    },
    'token revoke': {
      about: 'revoke a token at once',
      examples: [
        'token revoke t_4f2a',
        'token revoke t_4f2a --data /var/lib/hayrake',
        'token revoke t_4f2a --config c.json',
      ],
      takes: { '<id>': 'the id that `token list` shows' },
      run: runTokenRevoke,
    },
    schedule: {
      about: 'crawl at certain times',
      examples: [
        "schedule add docs '0 3 * * *' https://example.com",
        'schedule list',
        'schedule run 7ZC4M8N0EM0V3T2K9QJ5RCWBDA',
      ],
    },
    'schedule add': {
      about: 'create a schedule and print its id; a running service makes its jobs',
      examples: [
        "schedule add docs '0 3 * * *' https://example.com --time-zone Europe/Berlin",
        'schedule add news @hourly https://example.com/news --limit 50 --keep 24',
        "schedule add intranet '0 6 * * MON' https://example.com --header 'Authorization: Bearer SECRET' --overlap queue",
      ],
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
      examples: ['schedule list', 'schedule list --json', 'schedule list --server http://127.0.0.1:8380'],
      server: true,
      options: [['--json', 'a line of JSON per schedule']],
      run: runScheduleList,
    },
    'schedule show': onSchedule('show', 'print a schedule as JSON', runScheduleShow),
    'schedule run': onSchedule('run', 'make a run now, and print the id of its job', runScheduleRun),
    'schedule pause': onSchedule('pause', 'make no runs until it is resumed', (program, id: string, flags: Flags) =>
      runSchedulePause(program, id, flags, true),
    ),
    'schedule resume': onSchedule('resume', 'make runs again', (program, id: string, flags: Flags) =>
      runSchedulePause(program, id, flags, false),
    ),
    'schedule rm': onSchedule('rm', 'delete a schedule; its jobs stay', runScheduleRemove),
    'webhook-key': {
      about: 'show the key that signs webhooks',
      examples: ['webhook-key', 'webhook-key --org acme', 'webhook-key --rotate'],
      options: [
        ['--org <name>', 'the org', 'default'],
        ['--rotate', 'create a new one; the old one also signs for 24 hours'],
      ],
      run: runWebhookKey,
    },
  },
  'Keep the data:': {
    backup: {
      about: 'copy everything into one file, also during a crawl',
      examples: ['backup today.backup', 'backup today.backup --force', 'backup today.backup --data /var/lib/hayrake'],
      takes: { '<file>': 'the file to write' },
      options: [
        ['--force', 'replace an existing file'],
        ['--quick', 'check only the structure of the copy, without reading pages'],
      ],
      run: runBackup,
    },
    restore: {
      about: 'restore a backup into an empty data directory',
      examples: [
        'restore today.backup --data /var/lib/hayrake',
        'restore today.backup',
        'restore today.backup --config c.json',
      ],
      takes: { '<file>': 'a file written by `backup`' },
      run: runRestore,
    },
    blobs: {
      about: 'raw bodies and screenshots in object storage',
      examples: ['blobs adopt', 'blobs adopt --data ./restored', 'blobs adopt --config c.json'],
    },
    'blobs adopt': {
      about: 'make this database the owner of the objects, after it was restored or moved',
      examples: ['blobs adopt', 'blobs adopt --data /var/lib/hayrake', 'blobs adopt --config c.json'],
      settings: ['data', 'blobs', 's3Endpoint', 's3Region'],
      run: runBlobsAdopt,
    },
    check: {
      about: 'read everything and report damaged pages',
      examples: ['check', 'check --quick', 'check --data /var/lib/hayrake'],
      options: [['--quick', 'check only the structure, without reading pages']],
      run: runCheck,
    },
    migrate: {
      about: 'copy a data directory to an empty PostgreSQL database',
      examples: [
        'migrate --from ./.hayrake',
        'migrate --from /var/lib/hayrake',
        'migrate --from ./.hayrake --to postgres://hayrake@localhost/hayrake',
      ],
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
  },
  'Find out:': {
    doctor: {
      about: 'check all that hayrake depends on, and how to fix it',
      examples: ['doctor', 'doctor --json', 'doctor --data /var/lib/hayrake'],
      options: [['--json', 'write one JSON object']],
      settings: 'all',
      run: runDoctor,
    },
    config: {
      about: 'show each setting with its value and its source',
      examples: ['config', 'config --port 9000', 'config | grep PROXY'],
      settings: 'all',
      run: runConfig,
    },
    health: {
      about: 'ask whether the running service accepts work',
      examples: ['health', 'health --server http://127.0.0.1:8380', 'health --port 9001'],
      options: [['--server <url>', 'the address of the service. Default: the one in its settings']],
      settings: ['host', 'port'],
      run: runHealth,
    },
    docs: {
      about: 'print a document that a message names, or list them',
      examples: ['docs', 'docs recipes', 'docs options | less'],
      takes: { '[topic]': 'such as browser, or a name or address that a message gives' },
      settings: 'none',
      run: (_, topic: string | undefined) => runDocs(topic),
    },
  },
};
