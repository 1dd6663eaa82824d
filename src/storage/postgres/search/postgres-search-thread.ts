// The thread that indexes and searches the pages in a PostgreSQL database, on connections of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { serveSearches } from '../../rules/search/search-channel.ts';
import { Connections, type ConnectionsOptions } from '../connection/connections.ts';
import { explained } from '../connection/faults.ts';
import { PostgresSearch } from './postgres-search.ts';

export type PostgresSearchThreadData = Required<Pick<ConnectionsOptions, 'url' | 'applicationName' | 'hasSessions'>>;

/** One for indexing, one for searches meanwhile. */
const connectionsMax = 2;

if (parentPort) {
  const data = workerData as PostgresSearchThreadData;
  serveSearches(parentPort, new PostgresSearch(new Connections({ ...data, max: connectionsMax })), explained);
}
