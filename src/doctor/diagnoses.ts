import type { Diagnosis } from '../core/ports/diagnosis.ts';

type Bad = (message: string, remedy: string) => Diagnosis;

/** What an examination of this name can find. */
export function diagnosesOf(name: string): { ok: (message: string) => Diagnosis; warn: Bad; fail: Bad } {
  return {
    ok: (message) => ({ name, state: 'ok', message }),
    warn: (message, remedy) => ({ name, state: 'warn', message, remedy }),
    fail: (message, remedy) => ({ name, state: 'fail', message, remedy }),
  };
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
