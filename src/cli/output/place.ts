import type { Config } from '../../config/config.ts';
import { shownDirectory } from './page-sink.ts';

/** Describes where data is stored, without secrets. */
export function placeOf({ databaseUrl, data }: Pick<Config, 'databaseUrl' | 'data'>): string {
  const url = databaseUrl === undefined ? null : URL.parse(databaseUrl);
  return url ? `PostgreSQL, ${url.host || 'local socket'}${url.pathname}` : shownDirectory(data);
}
