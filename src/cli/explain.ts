import { CommanderError } from 'commander';
import type { SettingName } from '../config/config.ts';
import { type ErrorCode, ExitError, exitCodes, UserError } from '../core/errors.ts';
import { BesideService, commandFor } from './beside-service.ts';
import { quoted } from './flags.ts';
import { withFlags } from './option-flags.ts';
import { OutputError } from './output/output-error.ts';
import type { Program } from './program.ts';

/** For these codes the command line is right; the state of the job is the problem. */
const aboutTheJob: ReadonlySet<ErrorCode> = new Set([
  'job_data_expired',
  'job_not_ended',
  'nothing_to_retry',
  'no_raw',
  'insufficient_storage',
]);

/** Commander has printed its own errors; this prints all others. */
export function explain(
  program: Program,
  args: readonly string[],
  crawlSettings: readonly SettingName[],
  error: unknown,
): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof UserError) {
    if (error.code === 'job_not_found') {
      process.stderr.write('hayrake: There is no job with this id here. `hayrake jobs` lists them.\n');
      return exitCodes.failed;
    }
    const lines = error.fields.length > 1 ? error.fields.map(({ field, message }) => `  ${field}: ${message}`) : [];
    process.stderr.write(`hayrake: ${[withFlags(error.message), ...lines].join('\n')}\n`);
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
