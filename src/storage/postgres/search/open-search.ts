import { siblingModule } from '../../../core/process/program-files.ts';
import { SearchThread, type SearchThreadOptions } from '../../rules/search/search-channel.ts';
import type { PostgresSearchThreadData } from './postgres-search-thread.ts';

/** The search in a PostgreSQL database. Nothing runs and no connection is opened before the first one. */
export function openSearch(data: PostgresSearchThreadData, onDeath: SearchThreadOptions['onDeath']): SearchThread {
  return new SearchThread({
    module: siblingModule('./postgres-search-thread', import.meta.url),
    workerData: data,
    onDeath,
  });
}
