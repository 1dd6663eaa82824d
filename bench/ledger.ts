// What others feel while one client lists the URLs of a large job by reason: a ledger of a million URLs is made with SQL, one client reads
// `urls?reason=` over and over again, and `/healthz` is asked every 5 ms. The CPU of the main thread says how long a list can hold up others at
// most, on a machine that has other work too.
//
//   node bench/ledger.ts [URLs, default 1000000] [seconds a turn, default 5] [rounds, default 3] [against DIR]
//
// `against` takes the service of another checkout of the repository into the turns, such as one of the commit before.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { startService, type TestService } from '../test/service/start-service.ts';

const everyMs = 5;
/** Most URLs of a job are discarded; what a client asks for is one in a thousand, and something that is not there. */
const usual = 'off_host';
const rare = 'http_404';
const shapes = [`reason=${usual}`, `reason=${rare}`, 'reason=no_such_reason', 'status=scraped', 'kind=sitemap'];

interface Source {
  readonly service: TestService;
  readonly job: string;
}

interface Figures {
  readonly lists: number;
  /** Of a list, milliseconds. */
  readonly listMs: number;
  readonly median: number;
  readonly p99: number;
  readonly most: number;
  /** CPU of the main thread for a list, with the requests of `/healthz` meanwhile, milliseconds. */
  readonly mainMs: number;
}

const [urls = 1_000_000, seconds = 5, rounds = 3] = process.argv
  .slice(2, 5)
  .map(Number)
  .filter((value) => value > 0);
const place = process.argv.indexOf('against');
const folders = place < 0 ? [] : [process.argv[place + 1] ?? ''];
const sources = [await sourceOf(startService)];
for (const folder of folders) {
  const file = path.join(path.resolve(folder), 'test/service/start-service.ts');
  sources.push(await sourceOf(((await import(file)) as { startService: typeof startService }).startService));
}
try {
  console.log(`${urls} URLs; ${rounds} rounds of ${seconds} s; medians of the rounds, milliseconds`);
  console.log(
    '                                   | lists/s  a list | /healthz median    p99   most | main thread a list',
  );
  for (const shape of ['', ...shapes]) {
    const rows: Figures[][] = sources.map(() => []);
    for (let round = 0; round < rounds; round++)
      for (const [index, source] of sources.entries()) rows[index]?.push(await turn(source, shape));
    for (const [index, figures] of rows.entries())
      say(`${index === 0 ? '' : 'against: '}${shape || 'nobody lists'}`, figures);
  }
} finally {
  for (const { service } of sources) await service.close();
}

/** A service with an ended job that has so many URLs: made by the service, filled while it is stopped. */
async function sourceOf(start: typeof startService): Promise<Source> {
  const service = await start({ env: { HAYRAKE_REQUESTS_PER_MINUTE: '0' } });
  const { id } = await service.createJob({ urls: ['http://127.0.0.1:9/'] });
  await service.ok(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
  await service.stop();
  const db = new DatabaseSync(path.join(service.directory, 'hayrake.db'));
  const begun = performance.now();
  db.exec(`
    BEGIN;
    INSERT INTO ledger (job, key, kind, url, depth, found_on, state, reason, detail, page, attempts, status_code)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${urls})
    SELECT j.seq, printf('made-%020d', i), 'page', 'https://site.example/section-' || (i / 1000) || '/page-' || i || '.html', i % 7, NULL,
      CASE WHEN i % 1000 = 0 THEN 'failed' ELSE 'discarded' END, CASE WHEN i % 1000 = 0 THEN '${rare}' ELSE '${usual}' END, NULL, NULL, 1, NULL
    FROM n, job j WHERE j.id = '${id}';
    UPDATE job SET discarded = discarded + ${urls - Math.floor(urls / 1000)}, failed = failed + ${Math.floor(urls / 1000)}, scraped = scraped;
    COMMIT;`);
  console.log(`filled in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  db.close();
  await service.start();
  return { service, job: id };
}

async function turn({ service, job }: Source, shape: string): Promise<Figures> {
  const end = performance.now() + seconds * 1000;
  const lists = shape === '' ? Promise.resolve([]) : listAgain(service, `/crawler/jobs/${job}/urls?${shape}`, end);
  const before = mainMsOf(service);
  const health = await askHealth(service, end);
  const times = await lists;
  const mainMs = (mainMsOf(service) - before) / Math.max(1, times.length);
  return {
    lists: times.length / seconds,
    listMs: at(times, 0.5),
    median: at(health, 0.5),
    p99: at(health, 0.99),
    most: at(health, 1),
    mainMs,
  };
}

function mainMsOf({ pid = 0 }: TestService): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** As a client does that follows cursors, and begins again at the end. */
async function listAgain(service: TestService, url: string, end: number): Promise<number[]> {
  const times: number[] = [];
  for (let cursor = ''; performance.now() < end;) {
    const begun = performance.now();
    const answer = await service.ok<{ cursor?: string }>(`${url}&cursor=${cursor}`);
    times.push(performance.now() - begun);
    cursor = answer.cursor ?? '';
  }
  return times;
}

async function askHealth(service: TestService, end: number): Promise<number[]> {
  const times: Promise<number>[] = [];
  const one = async (): Promise<number> => {
    const begun = performance.now();
    await service.ok('/healthz', { token: null });
    return performance.now() - begun;
  };
  while (performance.now() < end) {
    times.push(one());
    await setTimeout(everyMs);
  }
  return Promise.all(times);
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function say(name: string, figures: readonly Figures[]): void {
  const median = (of: (one: Figures) => number): string => at(figures.map(of), 0.5).toFixed(1);
  const { lists, listMs } = { lists: median((one) => one.lists), listMs: median((one) => one.listMs) };
  console.log(
    name.padEnd(34),
    `| ${lists.padStart(7)} ${listMs.padStart(7)} | ${median((one) => one.median).padStart(15)}`,
    `${median((one) => one.p99).padStart(6)} ${median((one) => one.most).padStart(6)}`,
    `| ${median((one) => one.mainMs)}`,
  );
}
