import { describe, expect, test } from 'vitest';
import { cronProblem, nextTime, timeZoneProblem } from './cron.ts';

const at = (iso: string): number => Date.parse(iso);
const times = (cron: string, zone: string, after: string, count: number): string[] => {
  const found: string[] = [];
  for (let time = at(after); found.length < count;) {
    const next = nextTime(cron, zone, time);
    if (next === null) break;
    found.push(new Date(next).toISOString().replace(':00.000', ''));
    time = next;
  }
  return found;
};

describe('nextTime', () => {
  test.each([
    ['every day at midnight', '@daily', 'UTC', '2026-04-23T12:00Z', ['2026-04-24T00:00Z', '2026-04-25T00:00Z']],
    ['a time of its zone', '30 2 * * *', 'Asia/Kathmandu', '2026-04-23T12:00Z', ['2026-04-23T20:45Z']],
    ['strictly after a time that matches', '0 0 * * *', 'UTC', '2026-04-24T00:00Z', ['2026-04-25T00:00Z']],
    [
      'a day of the week or of the month',
      '0 0 1 * 1',
      'UTC',
      '2026-04-23T12:00Z',
      ['2026-04-27T00:00Z', '2026-05-01T00:00Z'],
    ],
    ['Sunday as 7', '0 0 * * 7', 'UTC', '2026-04-23T12:00Z', ['2026-04-26T00:00Z']],
    ['the last day of a month', '0 0 L * *', 'UTC', '2028-02-01T00:00Z', ['2028-02-29T00:00Z']],
    ['February 29', '0 0 29 2 *', 'UTC', '2026-04-23T12:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    // 02:30 does not exist in Berlin on 2026-03-29: 03:00 follows 01:59.
    [
      'the next time that exists in a gap',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    // 02:30 occurs twice in Berlin on 2026-10-25.
    [
      'a time that occurs twice only once',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'every half hour while an hour occurs twice',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-25T00:10Z',
      ['2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'],
    ],
    // In Cairo, the day of 2026-04-24 begins at 01:00.
    ['midnight in a gap', '0 0 * * *', 'Africa/Cairo', '2026-04-23T12:00Z', ['2026-04-23T22:00Z', '2026-04-24T21:00Z']],
    [
      'a gap of half an hour',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T02:00Z',
      ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
  ])('nextTime: finds %s', (_, cron, zone, after, expected) => {
    expect(times(cron, zone, after, expected.length)).toEqual(expected);
  });

  test('nextTime: leaves at least a minute between two times over a year with both changes of the clock', () => {
    for (const cron of ['* * 29 3 *', '* * 25 10 *', '0,30 1-3 * 3,10 *', '59 1,2,3 * * *'])
      for (let time = at('2026-01-01T00:00Z'), n = 0; n < 400; n++) {
        const next = nextTime(cron, 'Europe/Berlin', time) ?? Number.NaN;
        expect(next - time, `${cron} after ${new Date(time).toISOString()}`).toBeGreaterThanOrEqual(60_000);
        time = next;
      }
  });
});

describe('cronProblem', () => {
  const now = at('2026-11-27T00:00Z');
  test.each(['0 0 * * *', '*/5 * * * *', '@hourly', '@Daily', ' 0 3 * JAN-MAR mon#1 ', '0 0 29 2 *', '0 0 15W * *'])(
    'cronProblem: accepts %s',
    (cron) => expect(cronProblem(cron, 'Europe/Berlin', now)).toBeUndefined(),
  );
  test.each([
    '',
    'every night',
    '* * * *',
    '0 0 * * * *',
    '0 0 0 * * * 2026',
    '@reboot',
    '@every 5m',
    '60 0 * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 * 13 *',
    '0 0 * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    '? 0 * * *',
    '0 0 * * +1',
    '2026-05-05T00:00:00',
    '0 0 * * * # x',
    '0 0 30 2 *',
    '0 0 31 4,6,9,11 *',
    '\u0660 0 * * *',
  ])('cronProblem: refuses %j', (cron) => expect(cronProblem(cron, 'UTC', now)).toMatch(/\w/));

  test('cronProblem: refuses what fires first after more than five years', () => {
    expect(cronProblem('0 0 29 2 *', 'UTC', at('2096-03-01T00:00Z'))).toMatch(/5 years/);
  });
});

describe('timeZoneProblem', () => {
  test.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'europe/berlin', 'Asia/Calcutta'])(
    'timeZoneProblem: accepts %s',
    (zone) => expect(timeZoneProblem(zone)).toBeUndefined(),
  );
  test.each(['', '+02:00', 'Mars/Olympus', 'UTC+2', '../etc', 'Europe/Berlin '])(
    'timeZoneProblem: refuses %j',
    (zone) => expect(timeZoneProblem(zone)).toMatch(/IANA/),
  );
});
