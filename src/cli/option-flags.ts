// The flags of a command that makes a request, and the request body they form: derived from the table of options.
import { type Command, Option as CommandOption } from 'commander';
import { ExitError, exitCodes, type UserError } from '../core/errors.ts';
import { optionsOf } from '../options/inputs.ts';
import type { Flag, Option, Place } from '../options/option.ts';
import { type Flags, jsonFlag, numberFlag, pairsFlag, textFlag } from './flags.ts';

/** Adds the flags of a place to its command, but for the options `without`. */
export function addOptionFlags(command: Command, place: Place, without: readonly string[] = []): Command {
  for (const { name, option, flag } of flaggedOptions(place)) {
    if (without.includes(name)) continue;
    const commandOption = new CommandOption(flag.flags, flag.help);
    // A default is the API's: a flag that is not given is not sent.
    commandOption.default(undefined, defaultOf(option, flag));
    if (flag.reads === 'choice') commandOption.choices(flag.choices);
    if (flag.reads === 'named') commandOption.choices(Object.keys(flag.values)).preset(flag.alone);
    if (flag.reads === 'list' || flag.reads === 'pairs') commandOption.argParser(collect);
    command.addOption(commandOption);
  }
  return command;
}

/** Returns the options given on the command line, as fields of a body. */
export function optionFields(flags: Flags, place: Place): Record<string, unknown> {
  const fields = flaggedOptions(place).map(({ name, flag }) => [name, valueOf(flags, flag)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Rewrites an error about the request body in terms of the command line's flags. `isRemote`: a service refused it. */
export function inTermsOfFlags(error: UserError, place: Place, urls: readonly string[], isRemote: boolean): Error {
  if (error.fields.length === 0) return error;
  const flagOf = new Map(flaggedOptions(place).map(({ name, flag }) => [name, longFlag(flag)]));
  const lines = error.fields.map(({ field, message }) => {
    const [name = '', index] = field.split(/[[\].]/);
    const shown = name === 'urls' || name === 'url' ? (urls[Number(index ?? 0)] ?? 'URL') : (flagOf.get(name) ?? field);
    // A place in a file.
    const inside = name === 'extract' && flagOf.has(name) && field !== name ? ` (${field.slice(name.length + 1)})` : '';
    return `${shown}${inside}: ${message}`;
  });
  const hint = error.code === 'destination_not_allowed' ? [isRemote ? hintForOperator : hintHere] : [];
  return new ExitError(exitCodes.usage, [...lines, ...hint].join('\n'));
}

/** Replaces options of a request body that a message names, such as `page_limit` or `use_browser: true`, by their flags. */
export function withFlags(message: string): string {
  const flagOf = new Map(flaggedOptions('crawl').map(({ name, flag }) => [name, flag]));
  return message.replaceAll(/`(\w+)(?:: (\w+))?`/g, (whole, name: string, value?: string) => {
    const flag = flagOf.get(name);
    const given = flag && givenAs(flag, value);
    return given === undefined ? whole : `\`${given}\``;
  });
}

/** The flag as it is written to set a value. Undefined if no flag sets it. */
function givenAs(flag: Flag, value: string | undefined): string | undefined {
  const long = longFlag(flag);
  if (flag.reads === 'switch') return String(flag.sets) === (value ?? 'true') ? long : undefined;
  if (value === undefined) return long;
  if (flag.reads !== 'named') return `${long} ${value}`;
  const word = Object.keys(flag.values).find((one) => String(flag.values[one]) === value);
  return word === undefined ? undefined : `${long} ${word}`;
}

const hintHere = 'To crawl sites on your own machine or network, name them, for example: --allow-private 127.0.0.1/32';
const hintForOperator =
  'The operator of the service can open private networks and ports: HAYRAKE_ALLOW_PRIVATE, HAYRAKE_ALLOW_PORTS.';

interface FlaggedOption {
  readonly name: string;
  readonly option: Option;
  readonly flag: Flag;
}

function flaggedOptions(place: Place): readonly FlaggedOption[] {
  return optionsOf(place).flatMap(({ name, option }) =>
    option.flag === undefined ? [] : [{ name, option, flag: option.flag }],
  );
}

/** In words. Switches and repeatable flags have none: without them there is nothing. */
function defaultOf({ schema, defaultsTo }: Option, flag: Flag): string | undefined {
  if (['switch', 'list', 'pairs', 'commas'].includes(flag.reads)) return undefined;
  if (flag.fallback !== undefined) return flag.fallback;
  if (defaultsTo !== undefined) return defaultsTo.replaceAll('`', '');
  const { data } = schema.safeParse(undefined);
  return typeof data === 'string' || typeof data === 'number' ? String(data) : 'none';
}

/** Returns undefined if the flag is absent. */
function valueOf(flags: Flags, flag: Flag): unknown {
  const { negate, name } = attributeOf(flag);
  switch (flag.reads) {
    case 'number':
      return numberFlag(flags, name, longFlag(flag));
    case 'secondsOrNever':
      return flags[name] === 'never' ? null : numberFlag(flags, name, longFlag(flag));
    case 'commas':
      return textFlag(flags, name)
        ?.split(',')
        .map((word) => word.trim());
    case 'json':
      return jsonFlag(flags, name, longFlag(flag));
    case 'pairs':
      return pairsFlag(flags, name, longFlag(flag), flag.separator);
    case 'switch':
      return flags[name] === !negate ? flag.sets : undefined;
    case 'named': {
      const word = flags[name];
      return typeof word === 'string' ? flag.values[word] : undefined;
    }
    case 'text':
    case 'list':
    case 'choice':
      return flags[name];
  }
}

/** Commander's name for the flag. For `--no-colours` that is `colours`, which is false if the flag is given. */
function attributeOf({ flags }: Flag): { readonly name: string; readonly negate: boolean } {
  const commandOption = new CommandOption(flags);
  return { name: commandOption.attributeName(), negate: commandOption.negate };
}

/** Such as `--limit`. */
function longFlag({ flags }: Flag): string {
  return new CommandOption(flags).long ?? flags;
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
