import { expect, test } from 'vitest';
import type { JobSpec } from '../core/job.ts';
import { exportFileName } from './file-name.ts';

test.each([
  ['https://docs.example.com/guide', 'docs.example.com-2026-11-27.zip'],
  ['http://localhost:8080/', 'localhost-8080-2026-11-27.zip'],
  ['http://[2001:db8::1]:81/', '2001-db8-1-81-2026-11-27.zip'],
  ['https://xn--bcher-kva.example/', 'xn--bcher-kva.example-2026-11-27.zip'],
])('exportFileName: names the host of %s and the day of the crawl', (url, name) => {
  const job = { id: 'JOB', spec: { urls: [url] } as unknown as JobSpec, createdAt: Date.UTC(2026, 10, 27, 23, 59) };
  expect(exportFileName(job, '.zip')).toBe(name);
});

test('exportFileName: has at most 100 characters of a host', () => {
  const job = {
    id: 'JOB',
    spec: { urls: [`https://${'a.'.repeat(120)}example/`] } as unknown as JobSpec,
    createdAt: 0,
  };
  expect(exportFileName(job, '.csv').length).toBeLessThan(120);
});
