import { Argument, Command, CommanderError, Option } from 'commander';
import type { SettingName } from '../config/config.ts';
import { type ErrorCode, ExitError, exitCodes, UserError } from '../core/errors.ts';
import { jobStatuses } from '../core/job.ts';
import { permissions, usualPermissions } from '../core/permissions.ts';
import { runCancel, runDelete } from './commands/cancel.ts';
import { runBackup } from './commands/backup.ts';
import { runCheck } from './commands/check.ts';
import { runConfig } from './commands/config.ts';
import { runCrawl, runResume } from './commands/crawl.ts';
import { runDoctor } from './commands/doctor.ts';
import { runExport } from './commands/export.ts';
import { runGet } from './commands/get.ts';
import { runHealth } from './commands/health.ts';
import { runJobs } from './commands/jobs.ts';
import { runMap } from './commands/map.ts';
import { runMcp } from './commands/mcp.ts';
import { runMigrate } from './commands/migrate.ts';
import { runOpen } from './commands/open.ts';
import { runRestore } from './commands/restore.ts';
import { runRetry } from './commands/retry.ts';
import { runScrape } from './commands/scrape.ts';
import { runSearch } from './commands/search.ts';
import { runServe } from './commands/serve.ts';
import { runTokenCreate, runTokenList, runTokenRevoke } from './commands/token.ts';
import { runWebhookKey } from './commands/webhook-key.ts';
import { runWhy } from './commands/why.ts';
import { formatNames } from '../export/formats.ts';
import { canonicalJobId } from '../jobs/job-id.ts';
import { BesideService, commandFor } from './beside-service.ts';
import { type Flags, quoted } from './flags.ts';
import { addOptionFlags } from './option-flags.ts';
import { endOnOutputErrors, OutputError } from './output/output-error.ts';
import type { Program } from './program.ts';
import { addFileFlags, addShapeFlags } from './sink-flags.ts';

const crawlSettings: readonly SettingName[] = [
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

/** Runs one command and returns its exit code. Prints on standard error what went wrong, and what to do about it. */
export async function runCli(program: Program, args: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.done;
  const cli = new Command('hayrake')
    .description('Crawls a site politely and turns every page into Markdown, text or HTML.')
    .version(program.version, '-v, --version')
    .showHelpAfterError('(--help lists commands and options)')
    .showSuggestionAfterError()
    .exitOverride();
  const run =
    <Args extends unknown[]>(command: (...args: Args) => Promise<number>) =>
    async (...given: Args) => {
      exitCode = await command(...given);
    };

  // Settings are added after each command's own options, which come first in its help.
  const settingsOf: (readonly [Command, readonly SettingName[]])[] = [];
  const allSettings = Object.keys(program.settings) as SettingName[];
  const withSettings = (command: Command, names: readonly SettingName[] = allSettings): Command => {
    settingsOf.push([command, names]);
    return command.allowExcessArguments(false);
  };

  const withServer = (command: Command): Command =>
    command.option('--server <url>', 'use a running service, with a token of it in HAYRAKE_TOKEN [HAYRAKE_URL]');

  withSettings(cli.command('serve'))
    .description('run the service: API and crawler in one process')
    .option('--resume', 'continue the crawls that were stopped in the terminal')
    .action(run((flags: Flags) => runServe(program, flags)));
  withSettings(cli.command('api'))
    .description('run only the API, next to workers on the same database')
    .action(run((flags: Flags) => runServe(program, flags, 'api')));
  withSettings(cli.command('worker'))
    .description('run only the crawler; with a PostgreSQL database, as many as you like')
    .option('--resume', 'continue the crawls that were stopped in the terminal')
    .action(run((flags: Flags) => runServe(program, flags, 'worker')));

  withSettings(cli.command('mcp'), [...crawlSettings, 'browser', 'search'])
    .description('tools for agents, by the Model Context Protocol on standard input and output')
    .option(
      '--server <url>',
      'use a running service instead of the data directory, with its token in HAYRAKE_TOKEN [HAYRAKE_URL]',
    )
    .action(run((flags: Flags) => runMcp(program, flags)));

  const urlsArgument = ['[urls...]', 'start URLs: absolute, http or https'] as const;
  withSettings(
    addFileFlags(addOptionFlags(withServer(cli.command('crawl')).argument(...urlsArgument), 'crawl')),
    crawlSettings,
  )
    .description('crawl a site now and write its pages')
    .option(
      '--out <dir>',
      'write one file per page into DIR/HOST/; `-` is standard output. Default: the current directory on a terminal, otherwise standard output',
    )
    .option('--json', 'write one JSON object per page to standard output (NDJSON)')
    .option('--urls-from <file>', 'also start from the URLs in this file, one per line; `-` is standard input')
    .option('--strict', 'exit code 3 also where the crawl ended at a limit that this command gave')
    .action(run((urls: string[], flags: Flags) => runCrawl(program, urls, flags)));

  const urlArgument = ['<url>', 'the page: an absolute http or https URL'] as const;
  withSettings(addOptionFlags(withServer(cli.command('scrape')).argument(...urlArgument), 'scrape'), crawlSettings)
    .description('fetch one page now and write it to standard output')
    .option(
      '--json',
      'write the response of `POST /scraper/scrape` instead: text and metadata, or the reason why there is no page',
    )
    .action(run((url: string, flags: Flags) => runScrape(program, url, flags)));

  withSettings(addOptionFlags(withServer(cli.command('map')).argument(...urlArgument), 'map'), crawlSettings)
    .description('list the URLs of a site, from its sitemaps and the links of one page')
    .option('--json', 'write one JSON object: the URLs, and what is missing')
    .action(run((url: string, flags: Flags) => runMap(program, url, flags)));

  withSettings(addFileFlags(withServer(cli.command('resume')).addArgument(jobArgument())), crawlSettings)
    .description('continue an interrupted crawl')
    .option('--out <dir>', 'as with crawl')
    .option('--json', 'as with crawl')
    .action(run((id: string, flags: Flags) => runResume(program, id, flags)));

  withSettings(
    addFileFlags(addOptionFlags(withServer(cli.command('retry')).addArgument(jobArgument()), 'retry')),
    crawlSettings,
  )
    .description('crawl the failed URLs of an ended job again, as a new job')
    .option('--out <dir>', 'as with crawl')
    .option('--json', 'as with crawl')
    .action(run((id: string, flags: Flags) => runRetry(program, id, flags)));

  withSettings(withServer(cli.command('jobs')), ['data'])
    .description('list the jobs in the data directory, newest first')
    .addOption(new Option('--status <status>', 'only jobs in this state').choices([...jobStatuses, 'stopped']))
    .option('--limit <n>', 'maximum number of jobs', '50')
    .option('--json', 'write one JSON object per line')
    .action(run((flags: Flags) => runJobs(program, flags)));

  withSettings(withServer(cli.command('cancel')).addArgument(jobArgument()), ['data'])
    .description('end a job; its pages stay readable')
    .action(run((id: string, flags: Flags) => runCancel(program, id, flags)));

  withSettings(withServer(cli.command('delete')).addArgument(jobArgument()), ['data'])
    .description('end a job and delete its pages')
    .action(run((id: string, flags: Flags) => runDelete(program, id, flags)));

  withSettings(withServer(cli.command('open')).addArgument(jobArgument()), ['data'])
    .description('open a job in the dashboard of the running service')
    .option('--print', 'only print the link')
    .action(run((id: string, flags: Flags) => runOpen(program, id, flags)));

  withSettings(addShapeFlags(withServer(cli.command('get')).addArgument(jobArgument())), ['data'])
    .description('write the pages of a job')
    .option('--out <dir>', 'as with crawl')
    .option('--json', 'as with crawl')
    .option('--meta', 'write only metadata, as NDJSON')
    .action(run((id: string, flags: Flags) => runGet(program, id, flags)));

  withSettings(
    withServer(cli.command('search')).addArgument(jobArgument()).argument('<words...>', 'words, and phrases in quotes'),
    ['data', 'search', 'diskFreeMb'],
  )
    .description('search the pages of a job; the first search indexes them')
    .option('--limit <n>', 'maximum number of hits, 1 to 100', '10')
    .option('--json', 'write one JSON object per hit')
    .action(run((id: string, words: string[], flags: Flags) => runSearch(program, id, words, flags)));
  withSettings(withServer(cli.command('export')).addArgument(jobArgument()), ['data'])
    .description('write the pages of a job as one file')
    .requiredOption('--format <format>', formatNames.join(', '))
    .requiredOption('-o, --output <file>', 'the file to write; `-` is standard output')
    .option('--partial', 'export a job that has not ended: the pages that it has so far')
    .option('--force', 'replace an existing file')
    .action(run((id: string, flags: Flags) => runExport(program, id, flags)));

  withSettings(
    withServer(cli.command('why')).addArgument(jobArgument()).argument('<url>', 'the URL to explain'),
    crawlSettings,
  )
    .description('explain why a URL is, or is not, among the pages of a job')
    .option('--text', 'request the page again, and list what was left out of it, by rule')
    .action(run((id: string, url: string, flags: Flags) => runWhy(program, id, url, flags)));

  const token = cli.command('token').description('create, list and revoke API tokens');
  withSettings(token.command('create'), ['data'])
    .description('create a token and show it once')
    .option('--name <name>', 'what `token list` shows, such as the program that uses it')
    .option('--org <name>', 'the org whose jobs it may see', 'default')
    .option('--permissions <list>', `comma-separated: ${permissions.join(', ')}`, usualPermissions.join(','))
    .option('--expires <time>', 'lifetime: a number and m, h or d, such as 30d. Default: until it is revoked')
    .action(run((flags: Flags) => runTokenCreate(program, flags)));
  withSettings(token.command('list'), ['data'])
    .description('list tokens, without the tokens themselves')
    .action(run((flags: Flags) => runTokenList(program, flags)));
  withSettings(token.command('revoke').argument('<id>', 'the id that `token list` shows'), ['data'])
    .description('revoke a token at once')
    .action(run((id: string, flags: Flags) => runTokenRevoke(program, id, flags)));

  withSettings(cli.command('webhook-key'), ['data'])
    .description('show the key that signs the webhooks of an org')
    .option('--org <name>', 'the org', 'default')
    .option('--rotate', 'create a new one; the old one also signs for 24 hours')
    .action(run((flags: Flags) => runWebhookKey(program, flags)));

  withSettings(cli.command('backup').argument('<file>', 'the file to write'), ['data'])
    .description('copy everything stored into one file, also while the service runs')
    .option('--force', 'replace an existing file')
    .option('--quick', 'check only the structure of the copy, without reading pages')
    .action(run((file: string, flags: Flags) => runBackup(program, file, flags)));
  withSettings(cli.command('check'), ['data'])
    .description('read everything stored and report damaged pages, also while the service runs')
    .option('--quick', 'check only the structure, without reading pages')
    .action(run((flags: Flags) => runCheck(program, flags)));
  withSettings(cli.command('restore').argument('<file>', 'a file written by `backup`'), ['data'])
    .description('restore a backup into an empty data directory')
    .action(run((file: string, flags: Flags) => runRestore(program, file, flags)));
  withSettings(cli.command('migrate'), [])
    .description('copy a data directory, running jobs included, to an empty PostgreSQL database')
    .requiredOption('--from <dir>', 'the data directory; no hayrake may crawl with it during the copy')
    .option(
      '--to <url>',
      'target: postgres://user:password@host:5432/database. Other users of this machine can see a password on the command line, so prefer to set HAYRAKE_DATABASE_URL and leave this out',
    )
    .action(run((flags: Flags) => runMigrate(program, flags)));

  withSettings(cli.command('config'))
    .description('show each setting with its value and its source')
    .action(run((flags: Flags) => runConfig(program, flags)));

  withSettings(cli.command('doctor'))
    .description('check everything that hayrake depends on, and say how to fix problems')
    .option('--json', 'write one JSON object')
    .action(run((flags: Flags) => runDoctor(program, flags)));
  withSettings(cli.command('health'), ['host', 'port'])
    .description('check whether the running service accepts work, as the health check of a container')
    .option('--server <url>', 'the address of the service. Default: the one in its settings')
    .action(run((flags: Flags) => runHealth(program, flags)));

  for (const [command, names] of settingsOf) addSettings(command, program, names);
  endOnOutputErrors([process.stdout, process.stderr]);
  try {
    await cli.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(program, args, error);
  }
}

function addSettings(command: Command, program: Program, names: readonly SettingName[]): void {
  const add = (flags: string, description: string): void => {
    command.addOption(new Option(flags, description).helpGroup('Settings, also from the environment:'));
  };
  for (const name of names) {
    const { flag, placeholder, description, default: fallback, env } = program.settings[name];
    if (flag === undefined) continue;
    const shown = fallback === '' ? '' : ` (default: ${fallback})`;
    add(`--${flag} <${placeholder.toLowerCase()}>`, `${description}${shown} [${env}]`);
  }
  add('--config <file>', 'A JSON file of settings by name. [HAYRAKE_CONFIG]');
}

/** For these codes the command line is right; the state of the job is the problem. */
const aboutTheJob: ReadonlySet<ErrorCode> = new Set([
  'job_data_expired',
  'job_not_ended',
  'nothing_to_retry',
  'insufficient_storage',
]);

/** Commander has printed its own errors; this prints all others. */
function explain(program: Program, args: readonly string[], error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof UserError) {
    if (error.code === 'job_not_found') {
      process.stderr.write('hayrake: There is no job with this id here. `hayrake jobs` lists them.\n');
      return exitCodes.failed;
    }
    const lines = error.fields.length > 1 ? error.fields.map(({ field, message }) => `  ${field}: ${message}`) : [];
    process.stderr.write(`hayrake: ${[error.message, ...lines].join('\n')}\n`);
    return aboutTheJob.has(error.code) ? exitCodes.failed : exitCodes.usage;
  }
  if (error instanceof OutputError && error.isReaderGone) return error.exitCode;
  if (error instanceof BesideService) {
    const settingFlags = crawlSettings
      .filter((name) => name !== 'logLevel')
      .map((name) => `--${program.settings[name].flag}`);
    const command = commandFor(error.origin, args, new Set(settingFlags));
    process.stderr.write(
      `hayrake: ${error.message} It can do this: ${[program.command, ...command.map(quoted)].join(' ')}\n`,
    );
    if (error.needsToken)
      process.stderr.write(
        `  It needs a token: export HAYRAKE_TOKEN=$(${program.command} token create --data ${quoted(error.data)})\n`,
      );
    return error.exitCode;
  }
  if (error instanceof ExitError) {
    process.stderr.write(`hayrake: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(
    `hayrake: an internal error occurred:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitCodes.failed;
}

/** Like the API, commands take an id in upper or lower case. */
function jobArgument(): Argument {
  return new Argument('<job>', 'the id of the job').argParser(canonicalJobId);
}
