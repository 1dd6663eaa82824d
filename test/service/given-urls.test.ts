// URLs as people type them, without a scheme, in every request that names one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';

/** Refuses connections. */
const typed = '127.0.0.1:9/docs';
const completed = 'https://127.0.0.1:9/docs';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test.each(['/crawler/jobs', '/scraper/batch'])('POST %s: completes a URL without a scheme', async (path) => {
  const job = await service.ok<JobAnswer & { urls: string[] }>(path, { method: 'POST', json: { urls: [typed] } });
  expect(job.urls).toEqual([completed]);
  const { explanation } = await service.ok<{ explanation: string[] }>(
    `/crawler/jobs/${job.id}/urls?url=${encodeURIComponent(typed)}`,
  );
  expect(explanation.join(' ')).not.toContain('did not discover');
});

test.each(['/scraper/scrape', '/scraper/map'])('POST %s: completes a URL without a scheme', async (path) => {
  const answer = await service.ok<{ url: string }>(path, { method: 'POST', json: { url: typed, timeout: 1 } });
  expect(answer.url).toBe(completed);
});

test('POST /crawler/jobs/preview: completes a URL without a scheme', async () => {
  const json = { urls: [typed] };
  expect(await service.ok('/crawler/jobs/preview', { method: 'POST', json })).toMatchObject({ url: completed });
});

test('POST /r: refuses its own address without a scheme', async () => {
  const url = `${new URL(service.origin).host}/r/${service.origin}/`;
  expectProblem(await service.raw('/r', sent({ url })), 400, 'destination_not_allowed');
});

test.each(['word', '/docs', 'user:secret@example.com'])('POST /crawler/jobs: refuses %j', async (url) => {
  expectProblem(await service.raw('/crawler/jobs', sent({ urls: [url] })), 400, 'invalid_body');
});

function sent(json: object) {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
}
