// The thread that indexes and searches the pages of a data directory.
import { parentPort, workerData } from 'node:worker_threads';
import { serveSearches } from '../../rules/search/search-channel.ts';
import { explained } from '../file/faults.ts';
import { SqliteSearch } from './sqlite-search.ts';

export interface SearchThreadData {
  readonly dir: string;
  /** MiB of the disk that the crawl needs; 0: no check. */
  readonly diskFreeMb: number;
}

if (parentPort) {
  const { dir, diskFreeMb } = workerData as SearchThreadData;
  serveSearches(parentPort, new SqliteSearch(dir, diskFreeMb), (error) => explained(error, dir));
}
