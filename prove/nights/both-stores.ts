// The campaign of nights on SQLite and on PostgreSQL, with the same seed: by jobs with `since`, or by a schedule.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase } from '../../test/postgres/database.ts';
import { startPostgres } from '../../test/postgres/server.ts';
import { postgresStore, storeIn } from '../../test/service/test-store.ts';
import { nightsCampaign, type NightsOptions, type NightsReport } from './nights.ts';

export async function nightsOnBothStores(
  options: Pick<NightsOptions, 'seed' | 'nights' | 'by'>,
  tell: (text: string) => void,
): Promise<Readonly<Record<keyof NightsReport, number>>> {
  const server = await startPostgres();
  const database = await createDatabase(server.url());
  const folder = await mkdtemp(path.join(tmpdir(), 'hayrake-nights-'));
  const another = await mkdtemp(path.join(tmpdir(), 'hayrake-nights-'));
  try {
    const one = await nightsCampaign({ ...options, store: storeIn(folder) }, tell);
    const other = await nightsCampaign({ ...options, store: postgresStore(another, database.url) }, tell);
    const names = Object.keys(one) as (keyof NightsReport)[];
    return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Record<
      keyof NightsReport,
      number
    >;
  } finally {
    await server.remove();
    for (const directory of [folder, another]) await rm(directory, { recursive: true, force: true });
  }
}
