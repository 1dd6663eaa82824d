// Which SQLite driver serves the store best: Node's own or better-sqlite3? Our workload: batches of 50 pages committed at
// synchronous=FULL, then reads of 400 rows with and without bodies. Prints medians of the rounds, both drivers interleaved.
//
//   npm install --prefix bench --no-save better-sqlite3
//   node bench/sqlite-drivers.ts [rounds, default 5]
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';

interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}
interface Driver {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

// Not among the packages of the benchmarks: installing it may compile it.
const moduleName: string = 'better-sqlite3';
const { default: BetterSqlite3 } = (await import(moduleName)) as { default: new (file: string) => Driver };

const drivers: Record<string, (file: string) => Driver> = {
  'node:sqlite': (file) => new DatabaseSync(file),
  'better-sqlite3': (file) => new BetterSqlite3(file),
};

const rounds = Number(process.argv[2] ?? 5);
const pages = 20_000;
const meta = randomBytes(200).toString('hex');
const body = randomBytes(2_000);

function measure(open: (file: string) => Driver): Record<string, number> {
  const dir = mkdtempSync(path.join(tmpdir(), 'hayrake-drivers-'));
  const db = open(path.join(dir, 'test.db'));
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  db.exec('CREATE TABLE page(id INTEGER PRIMARY KEY, meta TEXT) STRICT');
  db.exec('CREATE TABLE body(id INTEGER PRIMARY KEY, fragment BLOB) STRICT');
  db.exec('CREATE TABLE url(id INTEGER PRIMARY KEY, job INTEGER, key BLOB, UNIQUE(job, key)) STRICT');
  const insertPage = db.prepare('INSERT INTO page VALUES (?, ?)');
  const insertBody = db.prepare('INSERT INTO body VALUES (?, ?)');
  const insertUrl = db.prepare('INSERT OR IGNORE INTO url(job, key) VALUES (?, ?)');

  let start = performance.now();
  for (let id = 1; id <= pages; id += 50) {
    db.exec('BEGIN IMMEDIATE');
    for (let n = id; n < id + 50; n++) {
      insertPage.run(n, meta);
      insertBody.run(n, body);
    }
    db.exec('COMMIT');
  }
  const commit = pages / ((performance.now() - start) / 1000);

  const keys = Array.from({ length: pages }, () => randomBytes(16));
  start = performance.now();
  for (let at = 0; at < pages; at += 60) {
    db.exec('BEGIN IMMEDIATE');
    for (const key of keys.slice(at, at + 60)) insertUrl.run(1, key);
    for (const key of keys.slice(Math.max(0, at - 240), at)) insertUrl.run(1, key);
    db.exec('COMMIT');
  }
  const urls = (pages * 5) / ((performance.now() - start) / 1000);

  const read = (sql: string, times: number): number => {
    const statement = db.prepare(sql);
    const begin = performance.now();
    for (let n = 0; n < times; n++) statement.all((n * 400) % (pages - 400));
    return times / ((performance.now() - begin) / 1000);
  };
  const metaReads = read('SELECT id, meta FROM page WHERE id > ? ORDER BY id LIMIT 400', 1000);
  const bodyReads = read(
    'SELECT p.id, p.meta, b.fragment FROM page p JOIN body b USING (id) WHERE id > ? ORDER BY id LIMIT 400',
    400,
  );
  db.close();
  rmSync(dir, { recursive: true });
  return {
    'pages committed/s': commit,
    'urls offered/s': urls,
    'meta reads of 400/s': metaReads,
    'body reads of 400/s': bodyReads,
  };
}

const figures = new Map<string, number[]>();
for (let round = 0; round < rounds; round++) {
  for (const [name, open] of Object.entries(drivers)) {
    for (const [what, figure] of Object.entries(measure(open))) {
      const key = `${what.padEnd(22)} ${name}`;
      figures.set(key, [...(figures.get(key) ?? []), figure]);
    }
  }
}
for (const [key, values] of [...figures].toSorted(([a], [b]) => a.localeCompare(b))) {
  const sorted = values.toSorted((a, b) => a - b);
  console.log(
    key.padEnd(40),
    Math.round(sorted[sorted.length >> 1] ?? 0)
      .toLocaleString('en')
      .padStart(10),
    ` (${Math.round(sorted[0] ?? 0)} to ${Math.round(sorted.at(-1) ?? 0)})`,
  );
}
console.log(
  `node ${process.version}, SQLite ${process.versions['sqlite']} and ${(new BetterSqlite3(':memory:').prepare('SELECT sqlite_version() v').all() as { v: string }[])[0]?.v}`,
);
