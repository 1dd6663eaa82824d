import type { SettingName } from '../../config/config.ts';
import type { Flags } from '../flags.ts';
import type { Program } from '../program.ts';

/** Shows each setting with its value and origin. Secrets are not shown. */
export async function runConfig(program: Program, flags: Flags): Promise<number> {
  const { origins } = program.readConfig(flags);
  const names = Object.keys(program.settings) as SettingName[];
  const rows = names.map((name) => {
    const { env, secret } = program.settings[name];
    const { text, origin } = origins[name];
    return [env, text === '' ? '(none)' : secret === true ? '(set)' : text, origin] as const;
  });
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  for (const [name, value, origin] of rows) {
    process.stdout.write(`${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${origin}\n`);
  }
  return 0;
}
