import { Argument, Command, Option } from 'commander';
import type { SettingName } from '../config/config.ts';
import { exitCodes } from '../core/errors.ts';
import { permissions, usualPermissions } from '../core/permissions.ts';
import { runCancel, runDelete } from './commands/cancel.ts';
import { runBlobsAdopt } from './commands/blobs.ts';
import { runBackup } from './commands/backup.ts';
import { runCheck } from './commands/check.ts';
import { runConfig } from './commands/config.ts';
import { runCrawl, runResume } from './commands/crawl.ts';
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
import { runReextract } from './commands/reextract.ts';
import { runRetry } from './commands/retry.ts';
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
import { exportNames } from '../export/formats.ts';
import { explain } from './explain.ts';
import type { Flags } from './flags.ts';
import { arrangeHelp, asSetting, wantsWholeHelp } from './help.ts';
import { withHint } from './help-texts.ts';
import { namedJob } from './named-job.ts';
import { addOptionFlags } from './option-flags.ts';
import { endOnOutputErrors } from './output/output-error.ts';
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
export async function runCli(program: Program, given: readonly string[]): Promise<number> {
  const { isWhole, args } = wantsWholeHelp(given);
  let exitCode: number = exitCodes.done;
  const cli = new Command('hayrake')
    .description('Crawls a site politely and turns every page into Markdown, text or HTML.')
    .version(program.version, '-v, --version')
    .showHelpAfterError('(--help lists commands and options)')
    .showSuggestionAfterError()
    .configureOutput({ outputError: (message, write) => write(withHint(message)) })
    .exitOverride();
  const run =
    <Args extends unknown[]>(command: (...args: Args) => Promise<number>) =>
    async (...given: Args) => {
      exitCode = await command(...given);
    };

  /** A command on a job: the first argument names it. */
  const onJob =
    <Args extends [...unknown[], Flags]>(command: (id: string, ...args: Args) => Promise<number>) =>
    async (name: string, ...rest: [...Args, Command]) => {
      const [flags] = rest.slice(-2) as [Flags];
      const id = await namedJob(program, name, flags);
      exitCode = await command(id, ...(rest.slice(0, -1) as Args));
    };

  // Settings are added after each command's own options, which come first in its help.
  const settingsOf: (readonly [Command, readonly SettingName[]])[] = [];
  const allSettings = Object.keys(program.settings) as SettingName[];
  const withSettings = (command: Command, names: readonly SettingName[] = allSettings): Command => {
    settingsOf.push([command, names]);
    return command.allowExcessArguments(false);
  };

  const withServer = (command: Command): Command =>
    command.option('--server <url>', 'a running service; its token in HAYRAKE_TOKEN [HAYRAKE_URL]');

  withSettings(cli.command('serve'))
    .description('API, dashboard and crawler in one process')
    .option('--resume', 'continue the crawls that were stopped in the terminal')
    .action(run((flags: Flags) => runServe(program, flags)));
  withSettings(cli.command('api'))
    .description('only the API, next to workers on the same database')
    .action(run((flags: Flags) => runServe(program, flags, 'api')));
  withSettings(cli.command('worker'))
    .description('only the crawler; with PostgreSQL, any number of them')
    .option('--resume', 'continue the crawls that were stopped in the terminal')
    .action(run((flags: Flags) => runServe(program, flags, 'worker')));

  withSettings(cli.command('mcp'), [...crawlSettings, 'browser', 'search'])
    .description('tools for agents (MCP on standard input and output)')
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
    .option('--out <dir>', 'a file per page in DIR/HOST/, - for standard output (default: . in a terminal, else -)')
    .option('--json', 'JSON lines; with --out a file per page')
    .option('--urls-from <file>', 'more start URLs, one per line; - is standard input')
    .option('--strict', 'exit code 3 also at a limit that this command gave')
    .action(run((urls: string[], flags: Flags) => runCrawl(program, urls, flags)));

  const urlArgument = ['<url>', 'the page: an absolute http or https URL'] as const;
  withSettings(addOptionFlags(withServer(cli.command('scrape')).argument(...urlArgument), 'scrape'), crawlSettings)
    .description('fetch one page and write it to standard output')
    .option('--json', 'text and metadata, or the reason why there is no page, as JSON')
    .action(run((url: string, flags: Flags) => runScrape(program, url, flags)));

  withSettings(addOptionFlags(withServer(cli.command('map')).argument(...urlArgument), 'map'), crawlSettings)
    .description('list the URLs of a site')
    .option('--json', 'write one JSON object: the URLs, and what is missing')
    .action(run((url: string, flags: Flags) => runMap(program, url, flags)));

  withSettings(addFileFlags(withServer(cli.command('resume')).addArgument(jobArgument())), crawlSettings)
    .description('continue an interrupted crawl')
    .option('--out <dir>', 'as with crawl')
    .option('--json', 'as with crawl')
    .action(onJob((id: string, flags: Flags) => runResume(program, id, flags)));

  withSettings(
    addFileFlags(addOptionFlags(withServer(cli.command('retry')).addArgument(jobArgument()), 'retry')),
    crawlSettings,
  )
    .description('crawl the failed URLs of a job again, as a new job')
    .option('--out <dir>', 'as with crawl')
    .option('--json', 'as with crawl')
    .action(onJob((id: string, flags: Flags) => runRetry(program, id, flags)));

  withSettings(
    addFileFlags(addOptionFlags(withServer(cli.command('reextract')).addArgument(jobArgument()), 'reextract')),
    crawlSettings,
  )
    .description('convert pages kept with --store-raw again, without the site')
    .option('--out <dir>', 'as with crawl')
    .option('--json', 'as with crawl')
    .action(onJob((id: string, flags: Flags) => runReextract(program, id, flags)));

  withSettings(withServer(cli.command('jobs')), ['data'])
    .description('list the jobs, newest first')
    .addOption(new Option('--status <status>', 'only jobs in this state').choices(listedStatuses))
    .option('--limit <n>', 'maximum number of jobs', '50')
    .option('--json', 'write one JSON object per line')
    .action(run((flags: Flags) => runJobs(program, flags)));

  withSettings(withServer(cli.command('cancel')).addArgument(jobArgument()), ['data'])
    .description('end a job; its pages stay readable')
    .action(onJob((id: string, flags: Flags) => runCancel(program, id, flags)));

  withSettings(withServer(cli.command('delete')).addArgument(jobArgument()), ['data'])
    .description('end a job and delete its pages')
    .action(onJob((id: string, flags: Flags) => runDelete(program, id, flags)));

  withSettings(
    withServer(cli.command('erase')).addArgument(jobArgument()).argument('<page>', 'the number of the page'),
    ['data'],
  )
    .description('forget the text of one page; its number stays')
    .option('--url', 'its URL too')
    .action(onJob((id: string, page: string, flags: Flags) => runErase(program, id, page, flags)));

  withSettings(withServer(cli.command('open')).addArgument(jobArgument()), ['data'])
    .description('open a job in the dashboard of the service')
    .option('--print', 'only print the link')
    .action(onJob((id: string, flags: Flags) => runOpen(program, id, flags)));

  withSettings(addShapeFlags(withServer(cli.command('get')).addArgument(jobArgument())), ['data'])
    .description('write the pages of a job')
    .option('--out <dir>', 'as with crawl')
    .option('--json', 'as with crawl')
    .option('--meta', 'write only metadata, as NDJSON')
    .action(onJob((id: string, flags: Flags) => runGet(program, id, flags)));

  withSettings(
    withServer(cli.command('search')).addArgument(jobArgument()).argument('<words...>', 'words, and phrases in quotes'),
    ['data', 'search', 'diskFreeMb'],
  )
    .description('search the pages of a job')
    .option('--limit <n>', 'maximum number of hits, 1 to 100', '10')
    .option('--json', 'write one JSON object per hit')
    .action(onJob((id: string, words: string[], flags: Flags) => runSearch(program, id, words, flags)));
  withSettings(withServer(cli.command('export')).addArgument(jobArgument()), ['data'])
    .description('write the pages of a job as one file')
    .requiredOption('--format <format>', exportNames.join(', '))
    .requiredOption('-o, --output <file>', 'the file to write; `-` is standard output')
    .option('--partial', 'export a job that has not ended: the pages that it has so far')
    .option('--force', 'replace an existing file')
    .action(onJob((id: string, flags: Flags) => runExport(program, id, flags)));

  withSettings(
    withServer(cli.command('why'))
      .addArgument(jobArgument())
      .argument('<url>', 'the URL to explain, or its path such as /about'),
    crawlSettings,
  )
    .description('explain why a URL is, or is not, among the pages')
    .option('--text', 'list what was left out of the page, which is requested again')
    .action(onJob((id: string, url: string, flags: Flags) => runWhy(program, id, url, flags)));

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

  const schedule = cli.command('schedule').description('crawl at certain times');
  const onSchedule = (name: string, description: string): Command =>
    withSettings(withServer(schedule.command(name)).argument('<id>', 'the id of the schedule'), ['data']).description(
      description,
    );
  withSettings(
    addOptionFlags(
      withServer(schedule.command('add'))
        .argument('<name>', 'what it is for')
        .argument('<cron>', 'minute, hour, day of month, month, day of week; or @daily and the like')
        .argument('<urls...>', 'start URLs: absolute, http or https'),
      'crawl',
      // Each run is compared with the one before it.
      ['since'],
    ),
    ['data', 'allowPrivate', 'allowPorts'],
  )
    .description('create a schedule and print its id; a running service makes its jobs')
    .option('--time-zone <zone>', 'IANA time zone of the times (default: UTC)')
    .option('--keep <n>', 'ended runs whose results are kept (default: 10)')
    .option('--overlap <what>', 'when the last run has not ended: skip, or queue one (default: skip)')
    .action(
      run((name: string, cron: string, urls: string[], flags: Flags) =>
        runScheduleAdd(program, name, cron, urls, flags),
      ),
    );
  withSettings(withServer(schedule.command('list')), ['data'])
    .description('list schedules, with the next run of each')
    .option('--json', 'a line of JSON per schedule')
    .action(run((flags: Flags) => runScheduleList(program, flags)));
  onSchedule('show', 'print a schedule as JSON').action(
    run((id: string, flags: Flags) => runScheduleShow(program, id, flags)),
  );
  onSchedule('run', 'make a run now, and print the id of its job').action(
    run((id: string, flags: Flags) => runScheduleRun(program, id, flags)),
  );
  onSchedule('pause', 'make no runs until it is resumed').action(
    run((id: string, flags: Flags) => runSchedulePause(program, id, flags, true)),
  );
  onSchedule('resume', 'make runs again').action(
    run((id: string, flags: Flags) => runSchedulePause(program, id, flags, false)),
  );
  onSchedule('rm', 'delete a schedule; its jobs stay').action(
    run((id: string, flags: Flags) => runScheduleRemove(program, id, flags)),
  );

  withSettings(cli.command('webhook-key'), ['data'])
    .description('show the key that signs webhooks')
    .option('--org <name>', 'the org', 'default')
    .option('--rotate', 'create a new one; the old one also signs for 24 hours')
    .action(run((flags: Flags) => runWebhookKey(program, flags)));

  withSettings(cli.command('backup').argument('<file>', 'the file to write'), ['data'])
    .description('copy everything into one file, also during a crawl')
    .option('--force', 'replace an existing file')
    .option('--quick', 'check only the structure of the copy, without reading pages')
    .action(run((file: string, flags: Flags) => runBackup(program, file, flags)));
  withSettings(cli.command('check'), ['data'])
    .description('read everything and report damaged pages')
    .option('--quick', 'check only the structure, without reading pages')
    .action(run((flags: Flags) => runCheck(program, flags)));
  withSettings(cli.command('restore').argument('<file>', 'a file written by `backup`'), ['data'])
    .description('restore a backup into an empty data directory')
    .action(run((file: string, flags: Flags) => runRestore(program, file, flags)));
  const blobs = cli.command('blobs').description('raw bodies in object storage');
  withSettings(blobs.command('adopt'), ['data', 'blobs', 's3Endpoint', 's3Region'])
    .description('make this database the owner of the objects, after it was restored or moved')
    .action(run((flags: Flags) => runBlobsAdopt(program, flags)));
  withSettings(cli.command('migrate'), [])
    .description('copy a data directory to an empty PostgreSQL database')
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
    .description('check all that hayrake depends on, and how to fix it')
    .option('--json', 'write one JSON object')
    .action(run((flags: Flags) => runDoctor(program, flags)));
  withSettings(cli.command('health'), ['host', 'port'])
    .description('ask whether the running service accepts work')
    .option('--server <url>', 'the address of the service. Default: the one in its settings')
    .action(run((flags: Flags) => runHealth(program, flags)));

  cli
    .command('docs')
    .description('print a document that a message names, or list them')
    .argument('[topic]', 'such as browser, or a name or address that a message gives')
    .action(run((topic: string | undefined) => runDocs(topic)));

  for (const [command, names] of settingsOf) addSettings(command, program, names, isWhole);
  arrangeHelp(cli, isWhole);
  endOnOutputErrors([process.stdout, process.stderr]);
  try {
    await cli.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(program, args, crawlSettings, error);
  }
}

function addSettings(command: Command, program: Program, names: readonly SettingName[], isWhole: boolean): void {
  const add = (flags: string, description: string): void => {
    command.addOption(asSetting(new Option(flags, description)));
  };
  for (const name of names) {
    const { flag, placeholder, description, default: fallback, env } = program.settings[name];
    if (flag === undefined) continue;
    const shown = fallback === '' ? '' : ` (default: ${fallback})`;
    // The first screen has the first sentence.
    const [said = ''] = isWhole ? [description] : description.split('. ');
    add(`--${flag} <${placeholder.toLowerCase()}>`, `${said}${shown} [${env}]`);
  }
  add('--config <file>', 'A JSON file of settings by name. [HAYRAKE_CONFIG]');
}

function jobArgument(): Argument {
  return new Argument('<job>', 'its id, the beginning of it, or `last`');
}
