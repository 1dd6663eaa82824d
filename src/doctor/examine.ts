import type { Examination, Finding } from '../core/finding.ts';

/** A name server, database or browser that does not answer within this time is a finding as well. */
const examinationMs = 30_000;

/** Runs examinations one after the other, by name, and passes each finding on as soon as it is there. */
export async function examine(
  examinations: Readonly<Record<string, Examination>>,
  onFinding: (finding: Finding) => void,
  limitMs = examinationMs,
): Promise<void> {
  for (const [name, run] of Object.entries(examinations)) onFinding(await examined(name, run, limitMs));
}

async function examined(name: string, run: Examination, limitMs: number): Promise<Finding> {
  const { promise: late, resolve } = Promise.withResolvers<Finding>();
  const timer = setTimeout(
    () => resolve({ name, state: 'fail', message: `No answer within ${limitMs / 1000} seconds.`, remedy: tryAgain }),
    limitMs,
  );
  try {
    return await Promise.race([(async () => run())(), late]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, state: 'fail', message: oneLine(message), remedy: 'Mend what the message names, and ask again.' };
  } finally {
    clearTimeout(timer);
  }
}

const tryAgain = 'Ask again when the machine has less to do; if that is the same, restart what did not answer.';

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
