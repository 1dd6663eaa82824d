// Keeps a copy of a site, as the text of each page by URL, from what `changes` of each run says. A process of its own, so
// that it can be killed: `consumer.ts FILE ORIGIN TOKEN JOB LIMIT`. Ends when it has all changes of the job.
import { DatabaseSync } from 'node:sqlite';

interface Page {
  readonly meta: { readonly url: string };
  readonly text: string;
}
interface Change {
  readonly change: string;
  readonly url: string;
  readonly movedTo?: string;
  readonly text?: string;
}

const [file = '', origin = '', token = '', job = '', limit = '10'] = process.argv.slice(2);
const copy = new DatabaseSync(file);
copy.exec(`PRAGMA busy_timeout = 5000; CREATE TABLE IF NOT EXISTS page (url TEXT PRIMARY KEY, text TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS place (job TEXT PRIMARY KEY, cursor TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS seen (job TEXT, url TEXT, change TEXT, PRIMARY KEY (job, url)) STRICT`);
const put = copy.prepare('INSERT INTO page VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text');
const remove = copy.prepare('DELETE FROM page WHERE url = ?');
// Fails if a run names a URL twice.
const note = copy.prepare('INSERT INTO seen VALUES (?, ?, ?)');
const move = copy.prepare('INSERT INTO place VALUES (?, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor');

async function ask<Answer>(path: string): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

const { since } = await ask<{ since: string | null }>(`/crawler/jobs/${job}`);
const list = since === null ? 'data?' : 'changes?text=true&';
let cursor = copy.prepare('SELECT cursor FROM place WHERE job = ?').get(job)?.['cursor'] as string | null | undefined;
while (cursor !== null) {
  const query = `limit=${limit}&wait=1${cursor === undefined ? '' : `&cursor=${cursor}`}`;
  const answer = await ask<{ data: readonly (Page | Change)[]; cursor?: string }>(
    `/crawler/jobs/${job}/${list}${query}`,
  );
  copy.exec('BEGIN IMMEDIATE');
  for (const row of answer.data) {
    const [url, change] = 'change' in row ? [row.url, row.change] : [row.meta.url, 'added'];
    note.run(job, url, change);
    if (change === 'added' || change === 'changed') put.run(url, row.text ?? '');
    else if (change === 'moved' && 'movedTo' in row) {
      remove.run(url);
      put.run(row.movedTo ?? '', row.text ?? '');
    } else if (change === 'removed') remove.run(url);
  }
  cursor = answer.cursor ?? null;
  move.run(job, cursor);
  copy.exec('COMMIT');
}
copy.close();
