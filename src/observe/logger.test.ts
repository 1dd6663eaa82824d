import { expect, test } from 'vitest';
import { lineForPeople } from './logger.ts';

const noon = new Date(2026, 0, 2, 12, 3, 4);

test('lineForPeople: has the local time, the message and its fields, those without a value left out', () => {
  const fields = { role: 'serve', port: 8380, gone: undefined, why: 'two words', list: [1] };
  expect(lineForPeople(noon, 'info', 'started', fields)).toBe(
    '12:03:04  started  role=serve port=8380 why="two words" list=[1]\n',
  );
  expect(lineForPeople(noon, 'warn', 'the disk is nearly full')).toBe('12:03:04  warn: the disk is nearly full\n');
});

test('lineForPeople: has no control sequence of a page, and keeps it in its quotes', () => {
  const line = lineForPeople(noon, 'info', 'page', { url: 'a\u001b[2J\u009b31m\u202e" level=error' });
  expect(line).toBe(String.raw`12:03:04  page  url="a\u001b[2J\u009b31m\u202e\" level=error"` + '\n');
});

test('lineForPeople: has the stack of an error', () => {
  expect(lineForPeople(noon, 'error', 'failed', { error: new Error('broken') })).toMatch(
    /error="Error: broken\n {4}at /u,
  );
});
