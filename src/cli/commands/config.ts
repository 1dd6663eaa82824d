import type { SettingName } from '../../config/config.ts';
import type { ReadConfig } from '../../config/read-config.ts';
import type { SettingRow } from '../../core/ports/system-desk.ts';
import type { Flags } from '../flags.ts';
import { fitted, terminalOf } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Shows each setting with its value and origin. Secrets are not shown. */
export async function runConfig(program: Program, flags: Flags): Promise<number> {
  const { origins } = program.readConfig(flags);
  const rows = settingRows(program, origins).map(
    ({ name, value, origin }) => [name, value === '' ? '(none)' : value, origin] as const,
  );
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const { isLive, columns } = terminalOf(process.stdout);
  // Name, value and `environment`, with two spaces between them.
  const valueMax = isLive ? Math.max(10, columns - width(0) - 15) : Number.POSITIVE_INFINITY;
  for (const [name, value, origin] of rows) {
    const shown = fitted(value, valueMax).padEnd(Math.min(width(1), valueMax));
    process.stdout.write(`${name.padEnd(width(0))}  ${shown}  ${origin}\n`);
  }
  return 0;
}

/** Each setting with its value; secrets only show whether they are set. */
export function settingRows({ settings }: Program, origins: ReadConfig['origins']): readonly SettingRow[] {
  return (Object.keys(settings) as SettingName[]).map((setting) => {
    const { env, secret } = settings[setting];
    const { text, origin } = origins[setting];
    return { name: env, value: text !== '' && secret === true ? '(set)' : text, origin };
  });
}
