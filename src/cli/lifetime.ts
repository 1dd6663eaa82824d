import { ExitError, exitCodes } from '../core/errors.ts';

const minuteMs = 60_000;
const unitsMs: Readonly<Record<string, number>> = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs };

/** Parses a lifetime such as `30d` into milliseconds. */
export function parseLifetime(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  if (unitMs !== undefined) return Number(count) * unitMs;
  throw new ExitError(
    exitCodes.usage,
    '--expires takes a whole number, at most 999,999, and m, h or d for minutes, hours or days, such as 30d.',
  );
}
