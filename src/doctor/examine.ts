import type { Examination, Diagnosis } from '../core/ports/diagnosis.ts';
import { diagnosesOf, oneLine } from './diagnoses.ts';

/** A name server, database or browser that does not answer within this time is a diagnosis as well. */
const examinationMs = 30_000;

/** Runs examinations one after the other, by name, and passes each diagnosis on as soon as it is there. */
export async function examine(
  examinations: Readonly<Record<string, Examination>>,
  onDiagnosis: (diagnosis: Diagnosis) => void,
  limitMs = examinationMs,
): Promise<void> {
  for (const [name, run] of Object.entries(examinations)) onDiagnosis(await examined(name, run, limitMs));
}

async function examined(name: string, run: Examination, limitMs: number): Promise<Diagnosis> {
  const { fail } = diagnosesOf(name);
  const { promise: late, resolve } = Promise.withResolvers<Diagnosis>();
  const timer = setTimeout(() => resolve(fail(`No response within ${limitMs / 1000} seconds.`, tryAgain)), limitMs);
  try {
    return await Promise.race([(async () => run())(), late]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail(oneLine(message), 'Fix what the message names, and run the check again.');
  } finally {
    clearTimeout(timer);
  }
}

const tryAgain =
  'Run the check again when the machine is less busy. If the result is the same, restart whatever did not respond.';
