import { pino } from 'pino';
import type { Log, LogFields } from '../core/ports/log.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

/**
 * On standard error, one JSON object per line; in a terminal, a line for people. Written at once rather than through a
 * thread, so that the last line before a crash is there. Strings from pages are data and stay inside their quotes.
 */
export function createLogger(level: Level | 'silent', isTerminal = process.stderr.isTTY === true): Log {
  const output = pino.destination({ dest: 2, sync: true });
  if (isTerminal)
    return logFrom(level, (at, message, fields) => output.write(lineForPeople(new Date(), at, message, fields)));
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  return logFrom(level, (at, message, fields) => logger[at](shown(fields), message));
}

function logFrom(level: Level | 'silent', write: (at: Level, message: string, fields?: LogFields) => unknown): Log {
  const isOn = (at: Level): boolean => level !== 'silent' && levels.indexOf(at) >= levels.indexOf(level);
  const of =
    (at: Level): Log[Level] =>
    (message, fields) => {
      if (isOn(at)) write(at, message, fields);
    };
  return { debug: of('debug'), info: of('info'), warn: of('warn'), error: of('error') };
}

/** Such as `14:02:07  started  role=serve port=8380`, in local time. */
export function lineForPeople(time: Date, level: Level, message: string, fields?: LogFields): string {
  const clock = time.toTimeString().slice(0, 8);
  const marked = level === 'info' ? message : `${level}: ${message}`;
  const pairs = Object.entries(shown(fields))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${harmless(value)}`);
  return `${[clock, marked, ...(pairs.length > 0 ? [pairs.join(' ')] : [])].join('  ')}\n`;
}

/** Text from the web can have control sequences. A stack keeps its lines. */
function harmless(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = text.replaceAll(
    /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => String.raw`\u` + (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0'),
  );
  return typeof value === 'string' && /[\s"=]/u.test(safe) ? `"${safe.replaceAll('"', String.raw`\"`)}"` : safe;
}

/** Errors have no enumerable fields to serialise. */
function shown(fields: LogFields = {}): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]),
  );
}
