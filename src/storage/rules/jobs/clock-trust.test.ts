import { expect, test } from 'vitest';
import { clockRecordBytes, clockRecordOf, type ClockRecord, ClockTrust, type ClockVerdict } from './clock-trust.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const began = 1_700_000_000_000;

/** A machine with a clock that can be set, and a store that outlives its processes. */
class Machine {
  record: ClockRecord = { seen: began, doubted: null };
  /** How far the clock is ahead of the true time. */
  offset = 0;
  #passed = 0;
  #bootedAt = 0;
  #trust = new ClockTrust();

  pass(ms: number): void {
    this.#passed += ms;
  }

  restart(): void {
    this.#bootedAt = this.#passed;
    this.#trust = new ClockTrust();
  }

  get now(): number {
    return began + this.#passed + this.offset;
  }

  tick(): ClockVerdict {
    const verdict = this.#trust.judge(this.record, this.now, this.#passed - this.#bootedAt);
    this.record = verdict.changed ?? this.record;
    return verdict;
  }

  /** One tick a minute. */
  run(ms: number): ClockVerdict {
    let verdict = this.tick();
    for (let passed = 0; passed < ms; passed += minute) {
      this.pass(minute);
      verdict = this.tick();
    }
    return verdict;
  }
}

test('ClockTrust: trusts a clock that goes on over restarts, and stores its time once an hour', () => {
  const machine = new Machine();
  let stored = 0;
  for (let minutes = 0; minutes < 3 * 24 * 60; minutes++) {
    if (minutes % 700 === 0) machine.restart();
    machine.pass(minute);
    const { deleteUpTo, doubtedByMs, changed } = machine.tick();
    expect([deleteUpTo, doubtedByMs]).toEqual([machine.now, undefined]);
    if (changed) stored++;
  }
  expect(stored).toBe(72);
});

test.each([
  ['while it runs', false],
  ['between two starts', true],
])('ClockTrust: deletes nothing for an hour when the clock is set forward by eight days %s', (_, isRestarted) => {
  const machine = new Machine();
  machine.run(hour);
  const before = machine.record.seen;
  if (isRestarted) machine.restart();
  machine.offset = 8 * day;
  expect(machine.run(59 * minute)).toMatchObject({ deleteUpTo: before, doubtedByMs: machine.now - before });
  machine.pass(minute);
  expect(machine.tick()).toEqual({ deleteUpTo: machine.now, changed: { seen: machine.now, doubted: null } });
});

test('ClockTrust: trusts a clock at once when it is set right within the hour, and doubts the next jump', () => {
  const machine = new Machine();
  machine.offset = 8 * day;
  machine.run(50 * minute);
  machine.offset = 0;
  expect(machine.tick().deleteUpTo).toBe(machine.now);
  machine.offset = 8 * day;
  expect(machine.run(59 * minute).doubtedByMs).toBeGreaterThan(7 * day);
});

test('ClockTrust: starts the hour again with each jump of a doubted clock', () => {
  const machine = new Machine();
  for (let days = 2; days < 20; days++) {
    machine.offset = days * day;
    expect(machine.run(30 * minute).deleteUpTo).toBe(began);
  }
});

test('ClockTrust: deletes an hour after the start when the service was off for a month', () => {
  const machine = new Machine();
  machine.run(hour);
  machine.pass(30 * day);
  machine.restart();
  expect(machine.tick().deleteUpTo).toBe(began + hour);
  expect(machine.run(hour).deleteUpTo).toBe(machine.now);
});

test('ClockTrust: deletes what the last run could have deleted when it runs five minutes a week', () => {
  const machine = new Machine();
  for (let week = 0; week < 10; week++) {
    machine.restart();
    const started = machine.now;
    const { deleteUpTo } = machine.run(5 * minute);
    expect(started - deleteUpTo).toBeLessThanOrEqual(week === 0 ? 0 : 8 * day);
    machine.pass(7 * day);
  }
});

test('ClockTrust: deletes in the end when the service dies every half hour', () => {
  const machine = new Machine();
  machine.pass(30 * day);
  for (let life = 0; life < 3; life++) {
    machine.restart();
    machine.run(30 * minute);
  }
  expect(machine.tick().deleteUpTo).toBe(machine.now);
});

test('ClockTrust: trusts a clock that was ahead for two hours once it is right, and doubts the next jump', () => {
  const machine = new Machine();
  machine.offset = 8 * day;
  machine.run(2 * hour);
  machine.offset = 0;
  expect(machine.tick()).toEqual({ deleteUpTo: machine.now, changed: { seen: machine.now, doubted: null } });
  machine.pass(minute);
  machine.offset = 8 * day;
  expect(machine.tick().doubtedByMs).toBe(8 * day + minute);
});

test('ClockTrust: does not delete at once when a machine that started in the past is set right', () => {
  const machine = new Machine();
  machine.offset = -2_000 * day;
  expect(machine.tick().deleteUpTo).toBe(machine.now);
  const startedAt = machine.now;
  machine.pass(10 * minute);
  machine.offset = 0;
  expect(machine.tick().deleteUpTo).toBe(startedAt);
});

test('ClockTrust: waits an hour after the machine slept for two days', () => {
  const machine = new Machine();
  machine.run(hour);
  // The monotonic clock stands still during sleep.
  machine.offset += 2 * day;
  expect(machine.tick().doubtedByMs).toBeGreaterThan(day);
  expect(machine.run(hour).deleteUpTo).toBe(machine.now);
});

test('ClockTrust: does not doubt a pause of two days between two ticks', () => {
  const machine = new Machine();
  machine.run(hour);
  machine.pass(2 * day);
  expect(machine.tick().doubtedByMs).toBeUndefined();
});

test('clockRecordOf: reads a record as written, and returns undefined for anything else', () => {
  for (const doubted of [null, began + day]) {
    const record = { seen: began, doubted };
    expect(clockRecordOf(clockRecordBytes(record))).toEqual(record);
  }
  for (const text of ['', 'x', '{"seen":1}', '{"seen":-1,"doubted":null}', '{"seen":1e99,"doubted":null}'])
    expect(clockRecordOf(Buffer.from(text))).toBeUndefined();
  expect(clockRecordOf(undefined)).toBeUndefined();
});
