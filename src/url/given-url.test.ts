import { expect, test } from 'vitest';
import { givenUrl } from '../core/given-url.ts';
import { parseGivenUrl } from './given-url.ts';

test.each([
  ['example.com', 'https://example.com'],
  ['docs.example.com/tutorial/?a=b#c', 'https://docs.example.com/tutorial/?a=b#c'],
  ['bücher.example/é', 'https://bücher.example/é'],
  ['localhost:8080/x', 'https://localhost:8080/x'],
  ['127.0.0.1', 'https://127.0.0.1'],
  ['[::1]:3000', 'https://[::1]:3000'],
  ['http://example.com', 'http://example.com'],
  ['ftp://example.com', 'ftp://example.com'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
  ['mailto:a@example.com', 'mailto:a@example.com'],
  ['word', 'word'],
  ['/docs/', '/docs/'],
  ['../docs.html', '../docs.html'],
  ['user@example.com', 'user@example.com'],
  ['', ''],
])('givenUrl: reads %j as %j', (text, url) => {
  expect(givenUrl(text)).toBe(url);
});

test.each([
  [' example.com ', 'https://example.com/'],
  ['example.com:8080/a b', undefined],
  ['http://example.com', 'http://example.com/'],
  ['user:secret@example.com', undefined],
  ['10.0.0.9\\@example.com', undefined],
])('parseGivenUrl: reads %j as %j', (text, href) => {
  const parsed = parseGivenUrl(text);
  expect('url' in parsed ? parsed.url.href : undefined).toBe(href);
});

test('givenUrl: takes linear time for a long text that is no URL', () => {
  const start = process.cpuUsage();
  givenUrl(`${'a-'.repeat(50_000)}!`);
  givenUrl(`${'a.'.repeat(50_000)}!`);
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5);
});
