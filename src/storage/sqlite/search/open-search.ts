import { siblingModule } from '../../../core/process/program-files.ts';
import { SearchThread, type SearchThreadOptions } from '../../rules/search/search-channel.ts';
import { searchBytes } from './search-file.ts';
import type { SearchThreadData } from './search-thread.ts';

/** The search in a data directory. Nothing runs before the first one. */
export function openSearch(data: SearchThreadData, onDeath: SearchThreadOptions['onDeath']): SearchThread {
  const module = siblingModule('./search-thread', import.meta.url);
  return new SearchThread({ module, workerData: data, onDeath, bytes: () => searchBytes(data.dir) });
}
