import { pino } from 'pino';
import type { Log, LogFields } from '../core/ports/log.ts';

/**
 * One JSON object per line on standard error. Written at once rather than through a thread, so that the last line
 * before a crash is there. Strings from pages are data and stay inside their quotes.
 */
export function createLogger(level: 'debug' | 'info' | 'warn' | 'error' | 'silent'): Log {
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
  return {
    debug: (message, fields) => logger.debug(shown(fields), message),
    info: (message, fields) => logger.info(shown(fields), message),
    warn: (message, fields) => logger.warn(shown(fields), message),
    error: (message, fields) => logger.error(shown(fields), message),
  };
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
