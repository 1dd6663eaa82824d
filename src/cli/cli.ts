import { Command, Option } from 'commander';
import type { SettingName } from '../config/config.ts';
import { exitCodes } from '../core/errors.ts';
import { type CommandRow, commandTable, crawlSettings } from './command-table.ts';
import { explain } from './explain.ts';
import type { Flags } from './flags.ts';
import { arrangeHelp, arrangeProgramHelp, asSetting, wantsWholeHelp } from './help.ts';
import { withHint } from './help-texts.ts';
import { namedJob } from './named-job.ts';
import { addOptionFlags } from './option-flags.ts';
import { endOnOutputErrors } from './output/output-error.ts';
import type { Program } from './program.ts';
import { addFileFlags, addShapeFlags } from './sink-flags.ts';

/** Runs one command and returns its exit code. Prints on standard error what went wrong, and what to do about it. */
export async function runCli(program: Program, given: readonly string[]): Promise<number> {
  const { isWhole, args } = wantsWholeHelp(withOneName(given));
  let exitCode: number = exitCodes.done;
  const cli = new Command('hayrake')
    .description('Crawls a site politely and turns every page into Markdown, text or HTML.')
    .version(program.version, '-v, --version')
    .showHelpAfterError('(--help lists commands and options)')
    .showSuggestionAfterError()
    .configureOutput({ outputError: (message, write) => write(withHint(message)) })
    .exitOverride();
  const rows = Object.entries(commandTable).flatMap(([group, table]) =>
    Object.entries(table).map(([words, row]) => ({ group, words, row })),
  );
  for (const { group, words, row } of rows) {
    const command = addCommand(cli, words, row);
    if (command.parent === cli) command.helpGroup(group);
    arrangeHelp(command, isWhole, row.examples);
    if (!row.run) continue;
    command.action(async (...given: readonly unknown[]) => {
      // Commander passes the command itself last.
      const all = await argumentsOf(program, row, given.slice(0, -1));
      exitCode = (await row.run?.(program, ...all)) ?? exitCodes.done;
    });
    const { settings = ['data'] } = row;
    if (settings !== 'none') addSettings(command, program, settings, isWhole);
  }
  arrangeProgramHelp(cli, isWhole, rows.at(-1)?.group ?? '');
  endOnOutputErrors([process.stdout, process.stderr]);
  try {
    await cli.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(program, args, crawlSettings, error);
  }
}

/** Other names of the version; and the help of no command is that command, which commander says it does not know. */
function withOneName(given: readonly string[]): readonly string[] {
  const [first = '', second, ...rest] = given;
  if (second === undefined) return ['-V', 'version'].includes(first) ? ['--version'] : given;
  const isCommand = Object.values(commandTable).some((rows) =>
    Object.keys(rows).some((words) => words.split(' ')[0] === second),
  );
  return first === 'help' && !isCommand && !['all', 'help'].includes(second) ? [second, ...rest] : given;
}

/** Adds the command of a row, with its arguments and options. */
function addCommand(cli: Command, words: string, row: CommandRow): Command {
  const [name = '', inner = name] = words.split(' ');
  const command = (cli.commands.find((outer) => outer.name() === name) ?? cli).command(inner);
  command.description(row.about);
  if (row.onJob === true || row.server === true)
    command.option('--server <url>', 'a running service; its token in HAYRAKE_TOKEN [HAYRAKE_URL]');
  if (row.onJob === true) command.argument('<job>', 'its id, the beginning of it, or `last`');
  for (const [term, about] of Object.entries(row.takes ?? {})) command.argument(term, about);
  if (row.request !== undefined) addOptionFlags(command, row.request, row.without);
  if (row.writes === 'files') addFileFlags(command);
  if (row.writes === 'shapedFiles') addShapeFlags(command);
  for (const option of row.options ?? []) {
    if (option instanceof Option) command.addOption(option);
    else command.option(...option);
  }
  return command;
}

async function argumentsOf(program: Program, { onJob }: CommandRow, given: readonly unknown[]): Promise<unknown[]> {
  const [name, ...rest] = given;
  if (onJob !== true) return [...given];
  return [await namedJob(program, String(name), rest.at(-1) as Flags), ...rest];
}

function addSettings(
  command: Command,
  program: Program,
  settings: readonly SettingName[] | 'all',
  isWhole: boolean,
): void {
  const names = settings === 'all' ? (Object.keys(program.settings) as SettingName[]) : settings;
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
