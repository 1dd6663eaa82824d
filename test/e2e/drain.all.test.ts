// Asked to stop while a site keeps it waiting, the service waits for a while and no longer.
import { expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { htmlPage, startTestSite } from '../service/test-site.ts';

test('SIGTERM gives up after 15 s what does not end: exit code 0, and the page is fetched again after a restart', async () => {
  const site = await startTestSite({ '/': htmlPage({ title: 'Slow', text: 'At last.' }) });
  const gate = site.hold('/');
  const service = await startService();
  const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  await gate.reached;
  const askedAt = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - askedAt).toBeGreaterThan(10_000);
  expect(service.stderr).toContain('fetches that did not end are given up');

  gate.open();
  await service.start();
  expect(await service.untilEnded(id)).toMatchObject({ status: 'succeeded', progress: { scraped: 1, failed: 0 } });
  await service.close();
  await site.close();
});

test('SIGTERM answers clients that wait, ends streams, and waits for no connection of theirs', async () => {
  const site = await startTestSite({ '/': htmlPage({ title: 'Slow', text: 'At last.' }) });
  const gate = site.hold('/');
  const service = await startService();
  const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  await gate.reached;
  const ndjson = { headers: { accept: 'application/x-ndjson' } };
  // Over connections that are kept: nobody may wait for what comes next over them.
  const streams = await Promise.all([
    service.api(`/crawler/jobs/${id}/data`, ndjson),
    service.api(`/crawler/jobs/${id}/events`),
  ]);
  const waiting = service.api(`/crawler/jobs/${id}/data?wait=60`);
  // What comes behind it is answered, so it is waiting.
  await service.ok(`/crawler/jobs/${id}/data?wait=1`);
  const stopped = service.stop();
  expect((await waiting).status).toBe(200);
  await Promise.all(streams.map((stream) => stream.text()));
  gate.open();
  expect(await stopped).toBe(0);
  expect(service.stderr).not.toContain('did not end');
  await service.close();
  await site.close();
});

test.each([
  ['cancelled', (service: TestService, id: string) => service.api(`/crawler/jobs/${id}/cancel`, { method: 'POST' })],
  ['deleted', (service: TestService, id: string) => service.api(`/crawler/jobs/${id}`, { method: 'DELETE' })],
])('a job that is %s keeps no fetch: the stop of the service does not wait for it', async (_, end) => {
  const site = await startTestSite({ '/': htmlPage({ title: 'Slow', text: 'At last.' }) });
  const gate = site.hold('/');
  const service = await startService();
  const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  await gate.reached;
  await end(service, id);
  expect(await service.stop()).toBe(0);
  expect(service.stderr).not.toContain('given up');
  await service.close();
  await site.close();
});
