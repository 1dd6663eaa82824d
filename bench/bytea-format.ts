// What it costs that the driver of PostgreSQL reads everything as text: 400 texts of 3 KB an answer, in hexadecimal, which is what
// PostgreSQL makes of bytes, in base64, and counted only.
//
//   node bench/bytea-format.ts [answers a turn, default 300]
import { Client } from 'pg';
import { startPostgres } from '../test/postgres/server.ts';
import { cpuSecondsOf } from './scale-service.ts';

const rows = 400;
const rounds = 3;
/** Columns, and how many bytes came with a row. */
const ways: Readonly<Record<string, readonly [string, (row: { readonly deflated: Buffer | string }) => number]>> = {
  hexadecimal: ['deflated', ({ deflated }) => deflated.length],
  base64: ["encode(deflated, 'base64') AS deflated", ({ deflated }) => Buffer.from(String(deflated), 'base64').length],
  'length only': ['length(deflated)::text AS deflated', ({ deflated }) => Number(deflated)],
};
const answers = Number(process.argv[2] ?? 300);

const server = await startPostgres();
const client = new Client({ connectionString: server.url() });
await client.connect();
await client.query('CREATE TABLE body (page int PRIMARY KEY, deflated bytea NOT NULL)');
await client.query('ALTER TABLE body ALTER deflated SET STORAGE EXTERNAL');
await client.query(
  `INSERT INTO body SELECT n, (SELECT string_agg(decode(md5(n::text || part), 'hex'), '') FROM generate_series(1, 196) part)
   FROM generate_series(1, ${rows}) n`,
);
const { rows: backend } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
const pid = backend[0]?.pid ?? 0;
console.log('| | CPU ms an answer, driver | backend |\n|---|--:|--:|');
for (let round = 0; round < rounds; round++) {
  for (const [name, [column, bytesOf]] of Object.entries(ways)) {
    const [own, database] = [process.cpuUsage(), cpuSecondsOf(pid)];
    let bytes = 0;
    for (let answer = 0; answer < answers; answer++) {
      const text = `SELECT page, ${column} FROM body ORDER BY page`;
      const result = await client.query<{ deflated: Buffer | string }>({ name, text });
      for (const row of result.rows) bytes += bytesOf(row);
    }
    if (bytes !== answers * rows * 196 * 16) throw new Error(`${bytes} bytes came`);
    const { user, system } = process.cpuUsage(own);
    const ms = [(user + system) / 1000, (cpuSecondsOf(pid) - database) * 1000].map((sum) => (sum / answers).toFixed(2));
    console.log(`| ${name} | ${ms.join(' | ')} |`);
  }
}
await client.end();
await server.remove();
