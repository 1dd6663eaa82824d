import { Client } from 'pg';
import { ExitError } from '../../../core/errors.ts';
import type { Diagnosis } from '../../../core/ports/diagnosis.ts';
import { explainedAtStart } from '../connection/faults.ts';
import { migrations } from '../../shared/schema.ts';
import { clientConfig, isPooledByTransaction } from '../connection/sessions.ts';

export interface ExaminedServer {
  readonly diagnoses: readonly Diagnosis[];
  /** The server's time of day, in milliseconds since the epoch. */
  readonly nowMs?: number;
}

/** Older versions of PostgreSQL lack features that the store's statements use. */
const versionMin = 14;

/** Examines a server in use: its version and tables, and if there is a pooler in between. Writes nothing. */
export async function examineServer(url: string, directUrl: string | undefined): Promise<ExaminedServer> {
  const applicationName = `hayrake ${process.pid} doctor`;
  try {
    const { diagnoses, nowMs } = await examineTables(url, applicationName);
    const isPooled = await isPooledByTransaction({ url, applicationName });
    const isDirectPooled =
      directUrl !== undefined && (await isPooledByTransaction({ url: directUrl, applicationName }));
    return { diagnoses: [...diagnoses, poolerDiagnosis(isPooled, directUrl !== undefined, isDirectPooled)], nowMs };
  } catch (error) {
    const known = explainedAtStart(error);
    const message = known instanceof Error ? known.message : String(known);
    const remedy = 'Start the server, or correct HAYRAKE_DATABASE_URL and HAYRAKE_DATABASE_DIRECT_URL.';
    if (!(known instanceof ExitError)) throw known;
    return { diagnoses: [{ name: 'database', state: 'fail', message, remedy }] };
  }
}

async function examineTables(url: string, applicationName: string): Promise<Required<ExaminedServer>> {
  const client = new Client(clientConfig({ url, applicationName }));
  // An error of the connection reaches the caller through the query it waits for.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string; now: number; hasTables: boolean }>(
      `SELECT current_setting('server_version') AS version, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
              to_regclass('schema_version') IS NOT NULL AS "hasTables"`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('The server returned no row.');
    const { version, now, hasTables } = row;
    const schema = hasTables
      ? (await client.query<{ version: number }>('SELECT version FROM schema_version')).rows[0]
      : undefined;
    return { diagnoses: [databaseDiagnosis(version, schema?.version)], nowMs: now };
  } finally {
    await client.end().catch(() => {});
  }
}

function databaseDiagnosis(version: string, schema: number | undefined): Diagnosis {
  const name = 'database';
  const server = `PostgreSQL ${version}`;
  if (Number.parseInt(version, 10) < versionMin)
    return { name, state: 'fail', message: `${server} is too old.`, remedy: `Use PostgreSQL ${versionMin} or later.` };
  if (schema === undefined) return { name, state: 'ok', message: `${server}; tables are created at the first start` };
  if (schema > migrations.length)
    return {
      name,
      state: 'fail',
      message: `${server}: its tables were made by a newer hayrake (schema ${schema}, this program knows ${migrations.length}).`,
      remedy: 'Install that version, or use another database.',
    };
  const upgrade = schema < migrations.length ? ', which the next start upgrades' : '';
  return { name, state: 'ok', message: `${server}, schema ${schema}${upgrade}` };
}

function poolerDiagnosis(isPooled: boolean, hasDirect: boolean, isDirectPooled: boolean): Diagnosis {
  const name = 'pooler';
  if (isDirectPooled)
    return {
      name,
      state: 'fail',
      message: 'HAYRAKE_DATABASE_DIRECT_URL leads to a pooler in transaction mode.',
      remedy: 'Set it to the PostgreSQL server itself.',
    };
  if (!isPooled) return { name, state: 'ok', message: 'none in transaction mode' };
  if (hasDirect)
    return { name, state: 'ok', message: 'in transaction mode; sessions go to HAYRAKE_DATABASE_DIRECT_URL' };
  return {
    name,
    state: 'fail',
    message: 'HAYRAKE_DATABASE_URL leads to a pooler in transaction mode, and no setting leads to the server itself.',
    remedy: 'Set HAYRAKE_DATABASE_DIRECT_URL to the PostgreSQL server itself, or switch the pooler to session mode.',
  };
}
