// Exports read back by programs and libraries that are not ours.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

/** Rows of a Parquet file. */
export async function readParquet(file: string): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(file);
  return parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    compressors: { ZSTD: (packed) => new Uint8Array(zstdDecompressSync(packed)) },
  });
}
