import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Program } from '../program.ts';

/** Reads the value of `--server`. Throws an `ExitError` that says what is wrong with it. */
export function serverOf({ settings }: Program, text: string): URL | undefined {
  try {
    return settings.url.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExitError(exitCodes.usage, `--server is ${JSON.stringify(text)}, which cannot be used: ${why}`);
  }
}
