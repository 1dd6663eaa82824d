// Reads the settings from the command line, the environment and the configuration file. No other file reads settings.
import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Config, SettingName, Settings } from './config.ts';
import { memoryPlan } from './memory-plan.ts';
import { ExitError, exitCodes } from '../core/errors.ts';

export interface ConfigSources {
  /** By flag name, as from commander. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A JSON file of settings by name. */
  readonly file?: string;
  /** Report a token that cannot be one as `tokenProblem`, instead of throwing. @default false */
  readonly keepsBadToken?: boolean;
}

export type Origin = 'flag' | 'environment' | 'file' | 'default';

export interface ReadConfig {
  readonly config: Config;
  /** Each setting as written, and its source. */
  readonly origins: Readonly<Record<SettingName, { readonly text: string; readonly origin: Origin }>>;
  /** Why the token was left out, if it was. */
  readonly tokenProblem?: string;
  /** Oddities that are not errors. */
  readonly warnings: readonly string[];
}

/**
 * Reads every setting: flag over environment over file over default. Throws an `ExitError` that names the invalid one.
 */
export function readConfig(table: Settings, sources: ConfigSources): ReadConfig {
  const names = Object.keys(table) as SettingName[];
  const file = sources.file === undefined ? {} : readFile(sources.file, table);
  const values: Partial<Record<SettingName, unknown>> = {};
  const origins: Partial<Record<SettingName, { text: string; origin: Origin }>> = {};
  let tokenProblem: string | undefined;
  for (const name of names) {
    const setting = table[name];
    const flag = setting.flag === undefined ? undefined : sources.flags[camelCase(setting.flag)];
    const found: [Origin, string] =
      typeof flag === 'string'
        ? ['flag', flag]
        : sources.env[setting.env] !== undefined
          ? ['environment', sources.env[setting.env] ?? '']
          : file[name] !== undefined
            ? ['file', file[name]]
            : ['default', setting.default];
    const [origin, text] = found;
    origins[name] = { text, origin };
    try {
      values[name] = text === '' && setting.default === '' ? emptyValue(name) : setting.parse(text);
    } catch (error) {
      const source =
        origin === 'flag'
          ? `--${setting.flag ?? name}`
          : origin === 'environment'
            ? setting.env
            : `${name} in ${sources.file ?? ''}`;
      const shown = setting.secret === true ? '' : ` is ${JSON.stringify(text)}, which`;
      const problem = `${source}${shown} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
      if (name !== 'token' || sources.keepsBadToken !== true) throw usageError(problem);
      tokenProblem = problem;
    }
  }
  const { proxies, proxyResolves } = values as unknown as Pick<Config, 'proxies' | 'proxyResolves'>;
  if (proxyResolves && proxies.length > 0 && proxies.every(({ name }) => name !== undefined))
    throw usageError(
      'HAYRAKE_PROXY_RESOLVES needs a proxy without a name in HAYRAKE_PROXY: else jobs that name none resolve here. Add one, or unset it.',
    );
  followMemory(values as unknown as Config, (name, value) => {
    if (origins[name]?.origin !== 'default') return;
    values[name] = value;
    origins[name] = { text: String(value), origin: 'default' };
  });
  const known = names.map((name) => table[name].env);
  return {
    config: values as unknown as Config,
    origins: origins as ReadConfig['origins'],
    ...(tokenProblem !== undefined && { tokenProblem }),
    warnings: unknownVariables(sources.env, known),
  };
}

/** Sets what follows from the memory, where the operator has not. */
function followMemory(
  { memoryMb, browser }: Config,
  set: (name: 'converterThreads' | 'browserPages', value: number) => void,
): void {
  const plan = memoryPlan({ memoryMb, usesBrowser: browser !== 'off', processors: availableParallelism() });
  set('converterThreads', plan.converterThreads);
  set('browserPages', plan.browserPages);
}

function emptyValue(name: SettingName): unknown {
  if (name === 'allowPorts' || name === 'caFile' || name === 'proxies') return [];
  return name === 'allowPrivate' ? '' : undefined;
}

/**
 * Warns of variables that look like settings but are not, one sentence each: a misspelt one would be ignored silently.
 */
function unknownVariables(env: ConfigSources['env'], known: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('HAYRAKE_') && name !== 'HAYRAKE_CONFIG' && !known.includes(name))
    .map((name) => `There is no setting ${name}, so it is ignored. \`hayrake config\` lists all settings.`);
}

const othersMayRead = 0o004;

function readFile(file: string, table: Settings): Partial<Record<SettingName, string>> {
  const names = Object.keys(table) as SettingName[];
  let content: unknown;
  let mode = 0;
  try {
    ({ mode } = statSync(file));
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw usageError(
      `The configuration file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw usageError(`The configuration file ${file} must be a JSON object.`);
  const values: Partial<Record<SettingName, string>> = {};
  for (const [key, value] of Object.entries(content)) {
    const name = names.find((candidate) => candidate === key);
    if (name === undefined)
      throw usageError(
        `There is no setting ${JSON.stringify(key)} (in ${file}). \`hayrake config\` lists all settings.`,
      );
    // Windows has no such bits, and reports that everybody can read everything.
    if (table[name].secret === true && (mode & othersMayRead) !== 0 && process.platform !== 'win32')
      throw usageError(
        `${name} is a secret, and every user of this machine can read ${file}. Restrict access: chmod 600 ${file}`,
      );
    values[name] = Array.isArray(value) ? value.join(',') : String(value);
  }
  return values;
}

function usageError(message: string): ExitError {
  return new ExitError(exitCodes.usage, message);
}

function camelCase(flag: string): string {
  return flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
