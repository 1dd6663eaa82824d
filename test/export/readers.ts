// Exports read back by programs and libraries that are not ours.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';

/** Tests that need a program are skipped, and name it, where it is missing. */
export function isMissing(program: string): boolean {
  return spawnSync(program, ['--version']).error !== undefined;
}

const outputMax = 2 ** 30;

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: outputMax });
}

function python(script: string, ...args: readonly string[]): unknown {
  return JSON.parse(run('python3', ['-c', script, ...args]));
}

export type Cells = Readonly<Record<string, string>>;

/** Rows of a CSV file, as Python reads them in strict mode. */
export function readCsv(file: string): Cells[] {
  return python(
    `import csv, json, sys
csv.field_size_limit(2**31 - 1)
with open(sys.argv[1], newline='', encoding='utf-8', errors='strict') as f:
    print(json.dumps(list(csv.DictReader(f, strict=True))))`,
    file,
  ) as Cells[];
}

/** Names and contents of a ZIP archive, as Python reads them, after it has checked every CRC. */
export function readZip(file: string): Readonly<Record<string, string>> {
  return python(
    `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    print(json.dumps({i.filename: z.read(i).decode('utf-8') for i in z.infolist()}))`,
    file,
  ) as Readonly<Record<string, string>>;
}

/** Throws unless Info-ZIP finds an archive whole. Unpacks it with `into`. */
export function unzip(file: string, into?: string): void {
  // It asks nothing.
  if (into === undefined) run('unzip', ['-tqq', file]);
  else run('unzip', ['-qq', '-o', '-d', into, file]);
}

/** Lines of a JSONL file, as jq reads them. */
export function readJsonl<Line>(file: string): Line[] {
  return JSON.parse(run('jq', ['--slurp', '--compact-output', '.', file])) as Line[];
}

/** Rows of the pages in an SQLite file, after `PRAGMA integrity_check`. */
export function readSqlite<Row>(file: string): Row[] {
  const check = run('sqlite3', [file, 'PRAGMA integrity_check']).trim();
  if (check !== 'ok') throw new Error(check);
  const rows = run('sqlite3', ['-json', file, 'SELECT * FROM page ORDER BY page']);
  return rows === '' ? [] : (JSON.parse(rows) as Row[]);
}

const programs = path.join(import.meta.dirname, '../runtimes');

/** `npm ci --ignore-scripts --prefix test/runtimes` installs it. */
export const isDuckDbMissing = !existsSync(path.join(programs, 'node_modules/@duckdb/node-api'));

/** Columns with their types, and rows, of a Parquet file, as DuckDB reads them. It runs in a process of its own. */
export function readWithDuckDb(file: string): {
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
} {
  const script = `import { DuckDBInstance } from '@duckdb/node-api';
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const read = async (sql) => (await connection.runAndReadAll(sql, [process.argv[1]])).getRowObjectsJson();
const columns = await read('DESCRIBE SELECT * FROM read_parquet($1)');
const rows = await read('SELECT * FROM read_parquet($1) ORDER BY page');
console.log(JSON.stringify({
  columns: Object.fromEntries(columns.map(({ column_name, column_type }) => [column_name, column_type])), rows }));`;
  const args = ['--input-type=module', '--eval', script, path.resolve(file)];
  const output = execFileSync(process.execPath, args, { cwd: programs, encoding: 'utf8', maxBuffer: outputMax });
  return JSON.parse(output) as ReturnType<typeof readWithDuckDb>;
}

/** Rows of a Parquet file. */
export async function readParquet(file: string): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(file);
  return parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    compressors: { ZSTD: (packed) => new Uint8Array(zstdDecompressSync(packed)) },
  });
}
