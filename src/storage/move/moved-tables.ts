// The tables that move to PostgreSQL: each column goes to the one of its name. A column that differs has an SQL expression
// of the embedded store, so that each row is read in its new form.
import type { Transaction } from '../postgres/connection/connections.ts';
import type { Database } from '../sqlite/file/database.ts';

type ColumnType = 'bigint' | 'integer' | 'smallint' | 'text' | 'bytea';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The expression that reads it, in SQL of the embedded store. */
  readonly from: string;
}

export interface MovedTableShape {
  readonly name: string;
  /** The table that it is read from. */
  readonly from: string;
  readonly columns: readonly Column[];
  /** Both sides are read in this order, in SQL. Each has an index for it, if there can be many rows. */
  readonly order: readonly string[];
  /** The same order in the embedded store. */
  readonly orderFrom: string;
}

/** Parameters of the expressions below. Times are on the clock of the target database. */
export interface MoveValues extends Record<string, number> {
  /** That clock minus this machine's. */
  readonly offset: number;
  /** No pause of a host or of a request ends later. */
  readonly latest: number;
  /** The worker that holds what the directory's last process held when it died. */
  readonly worker: number;
}

const isHeld = '(leased = 1 OR EXISTS (SELECT 1 FROM frontier f WHERE f.host = host.id AND f.fence IS NOT NULL))';
/** A process that worked on one job only left the hosts of other jobs without a time. */
const hasWork = ['= 0', '> 0']
  .map(
    (when) => `EXISTS (SELECT 1 FROM frontier f WHERE f.host = host.id AND f.fence IS NULL AND f.not_before ${when})`,
  )
  .join(' OR ');
const nextAt = 'max(0, min(next_at + @offset, @latest))';

const expressions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // A leased host keeps its lease. The first process that crawls here ends it, by the rules for dead workers.
  host_slot: {
    host: 'id',
    owner: `CASE WHEN ${isHeld} THEN @worker END`,
    fence: `CASE WHEN ${isHeld} THEN id ELSE 0 END`,
    ready_at: `CASE WHEN ${hasWork} THEN ${nextAt} END`,
    next_at: nextAt,
  },
  frontier: {
    not_before: 'CASE WHEN not_before > 0 THEN max(1, min(not_before + @offset, @latest)) ELSE not_before END',
    fence: 'CASE WHEN fence IS NOT NULL THEN host END',
  },
  work: {
    next_at: 'max(1, next_at + @offset)',
    claimed_by: 'CASE WHEN claimed_by IS NOT NULL THEN @worker END',
  },
};

/** The secret, which is moved separately, and the row that a ping writes. */
const leftTables = new Set(['setting']);
/** Each becomes something else in PostgreSQL, or is created there. */
const leftColumns = new Set(['host.leased', 'host.noted_at']);
const createdColumns = new Set([
  'host.memory',
  'host.memory_at',
  'host_slot.in_line',
  'host_slot.for_browser',
  'host_slot.plain_at',
]);

/** Throws if a column of either store would be lost. */
export async function movedTables(source: Database, tx: Transaction): Promise<MovedTableShape[]> {
  const targets = await tx.query<{ table: string; name: string; type: ColumnType; key: number | null }>(
    `SELECT c.table_name AS table, c.column_name AS name, c.data_type AS type, k.ordinal_position AS key
     FROM information_schema.columns c LEFT JOIN information_schema.key_column_usage k
       ON k.table_schema = c.table_schema AND k.table_name = c.table_name AND k.column_name = c.column_name AND k.constraint_name = c.table_name || '_pkey'
     WHERE c.table_schema = current_schema() AND c.is_generated = 'NEVER' ORDER BY c.ordinal_position`,
  );
  const names = source
    .all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .flatMap(({ name }) => (name === 'host' ? [name, 'host_slot'] : [name]))
    .filter((name) => !leftTables.has(name));
  return names.map((name) => {
    const from = name === 'host_slot' ? 'host' : name;
    const columns = targets
      .filter((column) => column.table === name && !createdColumns.has(`${name}.${column.name}`))
      .map(({ name: column, type, key }) => ({
        name: column,
        type,
        key: key ?? 0,
        from: expressions[name]?.[column] ?? column,
      }));
    const own = source.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', from);
    const known = new Set(own.map((column) => `${from}.${column.name}`));
    const taken = new Set(
      targets.map(({ table, name: column }) => `${table === 'host_slot' ? 'host' : table}.${column}`),
    );
    const lost = [
      ...[...known].filter((column) => !taken.has(column) && !leftColumns.has(column)),
      ...columns
        .map((column) => `${from}.${column.from}`)
        .filter((column) => /^\w+\.\w+$/.test(column) && !known.has(column)),
    ];
    if (lost.length > 0) throw new Error(`columns are not moved: ${lost.join(', ')}`);
    const keys = columns.filter(({ key }) => key > 0).toSorted((a, b) => a.key - b.key);
    const order = keys.map((column) => column.name);
    return { name, from, columns, order, orderFrom: name === 'host_slot' ? 'id' : order.join(', ') };
  });
}

/** Sequences, with the highest number that the embedded store has assigned. */
export const sequences: readonly { readonly sequence: string; readonly highest: string }[] = [
  { sequence: "pg_get_serial_sequence('job', 'seq')", highest: 'SELECT max(seq) AS highest FROM job' },
  { sequence: "pg_get_serial_sequence('host', 'id')", highest: 'SELECT max(id) AS highest FROM host' },
  // Fences. A host's id becomes the fence of its lease.
  { sequence: "'fence'", highest: 'SELECT max(id) AS highest FROM host' },
  { sequence: "'entry'", highest: highestEver('ledger') },
  { sequence: "'work_id'", highest: highestEver('work') },
];

/** Includes rows that were removed: their numbers are not assigned again. */
function highestEver(name: string): string {
  return `SELECT max((SELECT coalesce(max(id), 0) FROM ${name}), coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${name}'), 0)) AS highest`;
}
