// The main job, end to end, on your own machine: starts the service with an embedded database, crawls the small site that
// the project ships, and reads it back through both results endpoints, two pages at a time.
//
//   npm run demo              runs through and exits
//   npm run demo -- --keep    leaves the service up for the curl lines that it prints
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDemoSite } from './site.ts';

const keep = process.argv.includes('--keep');
const unknown = process.argv.slice(2).find((argument) => argument !== '--keep');
if (unknown !== undefined) {
  console.error(`The demo does not know ${unknown}. It accepts only --keep.`);
  process.exit(2);
}

interface Row {
  readonly meta: { readonly page: number; readonly url: string; readonly meta: { readonly title: string } };
  readonly text?: string;
}

interface ResultsPage {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly sitemapPageCount: number;
  readonly progress: Readonly<
    Record<'discovered' | 'queued' | 'inFlight' | 'scraped' | 'discarded' | 'failed' | 'outside', number>
  >;
}

interface LedgerEntry {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
  readonly detail?: string;
}

const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-demo-'));
const token = randomBytes(24).toString('hex');
const site = await startDemoSite();
console.log(
  `\n1. A small site to crawl\n   ${site.origin}/   (our own, with traps: redirects, duplicates, a broken link, odd charsets)`,
);

console.log('\n2. The service: API, crawler and database in one process');
const here = import.meta.dirname;
const withDemo = ['--import', path.join(here, 'ends-with-demo.ts')];
const service = spawn(process.execPath, [...withDemo, path.join(here, '../src/main.ts'), 'serve'], {
  env: {
    ...process.env,
    HAYRAKE_DATA: directory,
    HAYRAKE_PORT: '0',
    HAYRAKE_TOKEN: token,
    // Private addresses are refused unless they are named: the demo site is on this machine.
    HAYRAKE_ALLOW_PRIVATE: '127.0.0.1/32',
    HAYRAKE_LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
const ended = once(service, 'exit');
// The service never outlives the demo, also when a signal ends the demo or its reader leaves, as `head` does. When the demo
// is killed, the channel between them closes, and the service ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void quit(keep ? 0 : 1));
process.stdout.once('error', () => void quit(1));
try {
  const { api, login } = await addresses();
  console.log(`   API   ${api}/crawler/jobs\n   Data  ${directory}`);

  console.log('\n3. A job');
  const created = await call<Job>(`${api}/crawler/jobs`, {
    urls: [`${site.origin}/`],
    exclude_globs: ['/drafts/**'],
  });
  console.log(
    `   POST /crawler/jobs {"urls":["${site.origin}/"],"exclude_globs":["/drafts/**"]}   ->   ${created.id}, ${created.status}`,
  );
  const job = await untilEnded(api, created.id);
  const { discovered, scraped, discarded, failed, outside } = job.progress;
  console.log(
    `   ${job.status}: ${discovered} URLs = ${scraped} pages + ${discarded} discarded + ${failed} failed + ${outside} outside; the sitemap named ${job.sitemapPageCount}`,
  );
  console.log(
    `   ${site.requests.length} requests, the first for ${site.requests[0]?.path ?? 'nothing'}, as ${site.requests[0]?.userAgent ?? ''}`,
  );

  console.log('\n4. Its pages, two at a time, through /data');
  const pages = await readAll(
    `${api}/crawler/jobs/${job.id}/data`,
    (row) => `${row.meta.meta.title}   ${(row.text ?? '').length} characters of Markdown`,
  );
  console.log('\n5. The same, metadata only, through /meta');
  const metas = await readAll(`${api}/crawler/jobs/${job.id}/meta`, (row) => row.meta.url.replace(site.origin, ''));
  const same = pages.length === metas.length && pages.every((row, index) => row.meta.url === metas[index]?.meta.url);
  if (!same || pages.length !== scraped)
    throw new Error(`the endpoints disagree: ${pages.length} and ${metas.length} pages of ${scraped}`);
  console.log(`   Both returned the same ${pages.length} pages, each once.`);

  console.log('\n6. One page');
  const sample = pages.find((row) => (row.text ?? '').includes('```')) ?? pages[0];
  console.log(`   ${sample?.meta.url ?? ''}\n`);
  for (const line of (sample?.text ?? '').split('\n').slice(0, 24)) console.log(`   │ ${line}`);

  console.log('\n7. URLs that are not among the pages, and why');
  const { data } = await call<{ data: LedgerEntry[] }>(`${api}/crawler/jobs/${job.id}/urls`);
  for (const { url, reason, detail, status } of data) {
    if (status !== 'scraped')
      console.log(
        `   ${url.replace(site.origin, '').padEnd(26)} ${reason ?? status}${detail === undefined ? '' : `: ${detail.replace(site.origin, '')}`}`,
      );
  }

  if (keep) {
    console.log(
      `\nThe service runs until Ctrl-C. Open the dashboard, signed in (once, within 30 minutes):\n   ${login}`,
    );
    console.log('Or try:');
    const header = `-H 'Authorization: Bearer ${token}'`;
    console.log(`   curl ${header} '${api}/crawler/jobs/${job.id}/data?limit=2'`);
    console.log(`   curl ${header} '${api}/crawler/jobs/${job.id}/meta?limit=2'`);
    console.log(`   curl ${header} '${api}/crawler/jobs/${job.id}'`);
    console.log(`   curl ${header} '${api}/crawler/jobs/${job.id}/urls?status=discarded'`);
    console.log(`   curl ${header} -H 'Accept: application/x-ndjson' '${api}/crawler/jobs/${job.id}/data'`);
    console.log(
      `   curl ${header} -H 'Content-Type: application/json' -d '{"urls":["${site.origin}/"]}' ${api}/crawler/jobs`,
    );
    await ended;
  }
} finally {
  service.kill('SIGTERM');
  await ended;
  await site.close();
  await rm(directory, { recursive: true });
}
console.log(keep ? '' : '\nDone. All files were removed. `npm run demo -- --keep` keeps the service running.\n');

async function quit(code: number): Promise<void> {
  service.kill('SIGTERM');
  await ended;
  await rm(directory, { recursive: true, force: true });
  process.exit(code);
}

/** Where the service listens, and the link that signs a browser in, from its banner. */
async function addresses(): Promise<{ readonly api: string; readonly login: string }> {
  let api: string | undefined;
  if (!service.stdout) throw new Error('the service has no output');
  for await (const line of createInterface({ input: service.stdout })) {
    api ??= /API\s+(http:\S+)\/crawler\/jobs/.exec(line)?.[1];
    const login = /http:\S+\/login\?code=\S+/.exec(line)?.[0];
    if (api !== undefined && login !== undefined) return { api, login };
  }
  throw new Error('the service ended before it was ready; its output is above');
}

async function call<Answer>(url: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function untilEnded(api: string, id: string): Promise<Job> {
  for (;;) {
    const job = await call<Job>(`${api}/crawler/jobs/${id}`);
    if (job.status !== 'starting' && job.status !== 'running') return job;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Reads an endpoint to its end: the same request again with the cursor of the answer before, until there is none. */
async function readAll(url: string, show: (row: Row) => string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '2', ...(cursor !== undefined && { cursor }) });
    const { data, cursor: next } = await call<ResultsPage>(`${url}?${query.toString()}`);
    for (const row of data) console.log(`   ${String(row.meta.page).padStart(2)}  ${show(row)}`);
    console.log(next === undefined ? '       no cursor: this was the last page of results' : `       cursor ${next}`);
    rows.push(...data);
    cursor = next;
  } while (cursor !== undefined);
  return rows;
}
