// The recipe of a vector store, when runs are deleted between two of its requests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { recipeCopies } from '../../prove/nights/copies.ts';
import { type Living, startLivingSite } from '../service/living-site.ts';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';

let service: TestService;
let site: Living;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());
afterEach(() => site?.close());

const post = async <Answer>(to: string, json: object = {}): Promise<Answer> => {
  const answer = await service.api(to, { method: 'POST', json });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return JSON.parse(text) as Answer;
};

test('recipe of a vector store: begins anew as often as what it reads is deleted meanwhile, in both languages', async () => {
  site = await startLivingSite({ pages: { a: 'apples', b: 'barley' } });
  const job = { urls: [`${site.origin}/`], host_delay_ms: 0 };
  const { id } = await post<{ id: string }>('/crawler/schedules', { name: 'n', cron: '0 3 1 1 *', job });
  let crop = 0;
  const run = async (): Promise<JobAnswer> => {
    site.write({ a: `crop ${++crop}` });
    return service.untilEnded((await post<{ job: JobAnswer }>(`/crawler/schedules/${id}/run`)).job.id);
  };
  await run();
  let last = await run();
  const copies = recipeCopies(service.directory, id).slice(0, 2);
  expect(copies).toHaveLength(2);
  for (const copy of copies) {
    // Neither the end of a deleted run, nor its pages, can be read on when another has followed.
    const deletedBefore = [`/crawler/schedules/${id}/data?second`, 'changes', 'changes', 'changes'];
    const asked: string[] = [];
    const places: unknown[] = [];
    const database = new DatabaseSync(copy.file);
    let failure: unknown;
    const between = createServer((request, response) => {
      void (async () => {
        const url = new URL(request.url ?? '', 'http://a.test');
        const isRest = url.searchParams.has('cursor') && url.pathname.endsWith('/data');
        const name = isRest ? `${url.pathname}?second` : (url.pathname.split('/').at(-1) ?? '');
        asked.push(name);
        if (isRest) places.push(database.prepare('SELECT cursor FROM place').get()?.['cursor']);
        if (name === deletedBefore[0]) {
          deletedBefore.shift();
          await service.ok(`/crawler/jobs/${last.id}`, { method: 'DELETE' });
          last = await run();
        }
        if (url.pathname.endsWith('/data')) url.searchParams.set('limit', '1');
        const answer = await service.raw(`${url.pathname}${url.search}`, {});
        response.writeHead(answer.status, { 'content-type': answer.headers['content-type'] }).end(answer.body);
      })().catch((error: unknown) => {
        failure = error;
        response.destroy();
      });
    });
    await once(between.listen(0, '127.0.0.1'), 'listening');
    const { port } = between.address() as AddressInfo;
    const [command, ...args] = copy.command(service, '');
    const child = spawn(command, args, {
      cwd: copy.cwd,
      env: {
        ...process.env,
        ...copy.env,
        HAYRAKE_URL: `http://127.0.0.1:${port}`,
        HAYRAKE_TOKEN: service.token,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = (await once(child, 'close')) as [number | null];
    between.close();
    expect(failure).toBeUndefined();
    expect(said).toBe('');
    expect(code).toBe(0);
    expect(deletedBefore).toEqual([]);
    // A page too many would mean that the copy was continued, not replaced.
    const pages = database.prepare('SELECT url, text FROM page').all();
    database.close();
    const { data } = await service.ok<{ data: readonly { meta: { url: string }; text: string }[] }>(
      `/crawler/schedules/${id}/data`,
    );
    const byUrl = (rows: readonly object[]): object[] =>
      rows.toSorted((one, other) => (String(Object.values(one)[0]) < String(Object.values(other)[0]) ? -1 : 1));
    expect(byUrl(pages)).toEqual(byUrl(data.map(({ meta, text }) => ({ url: meta.url, text }))));
    expect(asked.filter((name) => name === 'data')).toHaveLength(5);
    // Killed while it copied, it would not follow an older copy.
    expect(new Set(places)).toEqual(new Set(['']));
  }
});
