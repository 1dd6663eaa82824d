// What is answered is on disk: the system calls of the real program between a request and its response. SIGKILL cannot show this,
// since the kernel keeps what a dead process wrote and never flushed; a power cut does not.
import { describe, expect, onTestFinished, test } from 'vitest';
import { page, startScriptedSite } from '../e2e/scripted-site.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { isOnPostgres } from '../service/test-store.ts';
import { canTrace } from './inject.ts';
import { callsIn, type SystemCall, traceCalls } from './system-calls.ts';

const traced = 'read,write,writev,pwrite64,fsync,fdatasync';
/** A page of the database. What SQLite writes besides, headers of the log and of its frames, is shorter. */
const databasePageBytes = 4_096;

describe.skipIf(!canTrace || isOnPostgres())('before the response (needs strace, and the embedded database)', () => {
  test('to POST /crawler/jobs the job is flushed to the disk', async () => {
    const service = await start();
    const endTrace = await traceCalls(service.pid!, traced);
    await service.createJob({ urls: ['http://127.0.0.1:9/'], max_depth: 0 });
    const calls = await endTrace();
    const asked = calls.find(({ name, text }) => name === 'read' && text.includes('POST /crawler/jobs'));
    const answered = calls.find(({ text }) => text.includes('HTTP/1.1 200'));
    expect(flushesBetween(calls, asked, answered)).toBeGreaterThan(0);
  });

  test('that gives a page to a reader the page is flushed to the disk', async () => {
    const { promise: isWaitedFor, resolve: beginAnswer } = Promise.withResolvers<void>();
    const site = await startScriptedSite((at) =>
      at === '/'
        ? (_request, response) =>
            void isWaitedFor.then(() =>
              response.writeHead(200, { 'content-type': 'text/html', 'x-is': 'the-page' }).end(page('/')),
            )
        : undefined,
    );
    onTestFinished(() => site.close());
    const service = await start();
    const { id } = await service.createJob({ urls: [`${site.origin}/`], max_depth: 0, force_crawling_mode: 'link' });
    await site.until(() => site.asks('/') > 0);
    const endTrace = await traceCalls(service.pid!, traced);
    const read = service.raw(`/crawler/jobs/${id}/data?wait=30`);
    beginAnswer();
    expect((await read).body.toString()).toContain('This is what / has to say.');
    const calls = await endTrace();
    const fetched = calls.find(({ name, text }) => name === 'read' && text.includes('x-is: the-page'));
    const answered = calls.find(({ name, text }) => name.startsWith('write') && text.includes('x-job-status'));
    expect(flushesBetween(calls, fetched, answered)).toBeGreaterThan(0);
  });
});

test('calls that threads make at the same time are told apart', () => {
  const calls = callsIn([
    '7 fdatasync(20</data/hayrake.db-wal> <unfinished ...>',
    '8 read(21<TCP:[1]>,  <unfinished ...>',
    '7 <... fdatasync resumed>) = 0',
    '9 write(3, "a\\") = 5 <unfinished ...>", 24) = 24',
    '8 <... read resumed>"POST / HTTP/1.1\\r\\n"..., 65536) = 212',
    '8 read(21<TCP:[1]>, 0x7f, 65536) = -1 EAGAIN (Resource temporarily unavailable)',
    '7 pwrite64(20</data/hayrake.db-wal>, "x", 1, 0 <unfinished ...>',
    '7 +++ exited with 0 +++',
  ]);
  expect(calls.map(({ name, begunAt, endedAt, returned }) => [name, begunAt, endedAt, returned])).toEqual([
    ['fdatasync', 0, 2, 0],
    ['read', 1, 4, 212],
    ['write', 3, 3, 24],
    ['read', 5, 5, -1],
    ['pwrite64', 6, Infinity, NaN],
  ]);
  expect(calls[1]?.text).toContain('POST /');
});

test('a flush of another file, one that fails, and one that is too late do not count', () => {
  const asked = '1 read(9, "POST", 9) = 4';
  const written = `2 pwrite64(20</d/hayrake.db-wal>, "x"..., ${databasePageBytes}, 56) = ${databasePageBytes}`;
  const flushed = '2 fdatasync(20</d/hayrake.db-wal>) = 0';
  const answered = '1 write(9, "HTTP", 4) = 4';
  const count = (...lines: string[]): number => {
    const calls = callsIn(lines);
    const find = (name: string) => calls.find((call) => call.name === name);
    return flushesBetween(calls, find('read'), find('write'));
  };
  expect(count(asked, written, flushed, answered)).toBe(1);
  expect(count(asked, written, answered, flushed)).toBe(0);
  expect(count(asked, flushed, written, answered)).toBe(0);
  expect(count(written, flushed, asked, answered)).toBe(0);
  expect(count(asked, written, '2 fdatasync(21</d/hayrake.db>) = 0', answered)).toBe(0);
  expect(count(asked, written, '2 fdatasync(20</d/hayrake.db-wal>) = -1 EIO (Input/output error)', answered)).toBe(0);
  expect(
    count(
      asked,
      written,
      '2 fdatasync(20</d/hayrake.db-wal> <unfinished ...>',
      answered,
      '2 <... fdatasync resumed>) = 0',
    ),
  ).toBe(0);
  expect(count(asked, written.replace(`${databasePageBytes}, 56`, '32, 0'), flushed, answered)).toBe(0);
  expect(() => count(written, flushed, answered)).toThrow('was not traced');
});

async function start(): Promise<TestService> {
  const service = await startService();
  onTestFinished(() => service.close());
  return service;
}

/** Successful flushes of the log that end before the response begins, each after a page of the database was written to the log since the request. */
function flushesBetween(
  calls: readonly SystemCall[],
  asked: SystemCall | undefined,
  answered: SystemCall | undefined,
): number {
  if (!asked || !answered) throw new Error(`the ${asked ? 'response' : 'request'} was not traced`);
  const ofLog = calls.filter(
    ({ text, begunAt, endedAt }) =>
      /^\d+<[^>]*-wal>/.test(text) && begunAt > asked.endedAt && endedAt < answered.begunAt,
  );
  const written = ofLog.find(({ name, text }) => name === 'pwrite64' && text.includes(`, ${databasePageBytes}, `));
  return ofLog.filter(
    ({ name, returned, begunAt }) =>
      (name === 'fdatasync' || name === 'fsync') &&
      returned === 0 &&
      written !== undefined &&
      begunAt > written.endedAt,
  ).length;
}
