import { exitCodes } from '../../core/errors.ts';
import type { Diagnosis } from '../../core/ports/diagnosis.ts';
import type { Flags } from '../flags.ts';
import type { Program } from '../program.ts';

const nameWidth = 16;

/** Checks everything that hayrake depends on, and reports how to fix problems. Exit code 1 if a check fails. */
export async function runDoctor(program: Program, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const isJson = flags['json'] === true;
  const diagnoses: Diagnosis[] = [];
  await program.examine(config, (diagnosis) => {
    diagnoses.push(diagnosis);
    if (!isJson) process.stdout.write(lineOf(diagnosis));
  });
  const count = (state: Diagnosis['state']): number =>
    diagnoses.filter((diagnosis) => diagnosis.state === state).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (isJson) process.stdout.write(`${JSON.stringify({ ok: failed === 0, version: program.version, diagnoses })}\n`);
  else process.stdout.write(`\n${summaryOf(failed, warned)}\n`);
  return failed === 0 ? exitCodes.done : exitCodes.failed;
}

function lineOf({ name, state, message, remedy }: Diagnosis): string {
  const line = `${state.padEnd(4)}  ${name.padEnd(nameWidth)}  ${message}\n`;
  return remedy === undefined ? line : `${line}${' '.repeat(4 + 2 + nameWidth + 2)}→ ${remedy}\n`;
}

function summaryOf(failed: number, warned: number): string {
  if (failed > 0) return `${failed} failed, ${warned} to check.`;
  return warned > 0 ? `Nothing failed, ${warned} to check.` : 'All is well.';
}
