import { readFileSync } from 'node:fs';
import type { SettingName } from '../config/config.ts';
import { ExitError, exitCodes } from '../core/errors.ts';
import type { Program } from './program.ts';

/** Flags of the command line, by name. */
export type Flags = Readonly<Record<string, unknown>>;

/** Reads a flag that must be a whole number; undefined if it is absent. */
export function numberFlag(flags: Flags, name: string, flag: string): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text)) {
    throw new ExitError(exitCodes.usage, `${flag} takes a whole number, not ${JSON.stringify(text)}.`);
  }
  return Number(text);
}

/** Returns the org named by `--org`. */
export function orgFlag(flags: Flags): string {
  const org = textFlag(flags, 'org') ?? '';
  if (/^[\w.-]{1,64}$/.test(org)) return org;
  throw new ExitError(exitCodes.usage, '--org takes 1 to 64 letters, digits, dots, dashes and underscores.');
}

/** Reads a repeatable flag with one pair each, such as `Accept-Language: de`; undefined if it is absent. */
export function pairsFlag(
  flags: Flags,
  name: string,
  flag: string,
  separator: string,
): Readonly<Record<string, string>> | undefined {
  const texts = flags[name];
  if (!Array.isArray(texts)) return undefined;
  const pairs = texts.map((text) => {
    const [given, at] = [String(text), String(text).indexOf(separator)];
    // The value is not shown: it can be a secret.
    if (at < 1)
      throw new ExitError(exitCodes.usage, `${flag} takes a name and a value with \`${separator}\` between them.`);
    return [given.slice(0, at).trim(), given.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}

/** Reads the JSON file that a flag names; undefined if the flag is absent. */
export function jsonFlag(flags: Flags, name: string, flag: string): unknown {
  const file = textFlag(flags, name);
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExitError(exitCodes.usage, `${flag}: ${file} cannot be read as JSON: ${why}`);
  }
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const text = flags[name];
  return typeof text === 'string' ? text : undefined;
}

/** Returns the given settings and output flags, for a follow-up command with the same ones. */
export function givenAgain(program: Program, flags: Flags): string[] {
  const settings = (Object.keys(program.settings) as SettingName[]).flatMap(
    (name) => program.settings[name].flag ?? [],
  );
  return ['server', ...settings, 'config', 'out', 'json', 'front-matter', 'convert-links'].flatMap((flag) => {
    const value = flags[flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    if (value === true) return [`--${flag}`];
    return typeof value === 'string' ? [`--${flag} ${quoted(value)}`] : [];
  });
}

/** Quotes text for a shell. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
