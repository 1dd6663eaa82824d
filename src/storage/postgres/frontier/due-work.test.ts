import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Connections, Value } from '../connection/connections.ts';
import { DueReader } from './due-work.ts';

/** Answers each statement with one due job per host: a hundred times its number. The first statement waits. */
function setUp(options: { readonly failing?: number } = {}): {
  readonly due: DueReader;
  readonly asked: (readonly number[])[];
  readonly answer: () => void;
} {
  const asked: (readonly number[])[] = [];
  const first = Promise.withResolvers<void>();
  const query = async (_: string, values: readonly Value[] = []): Promise<unknown> => {
    const hosts = values[1] as readonly number[];
    asked.push(hosts);
    const statement = asked.length;
    if (statement === 1) await first.promise;
    if (statement === options.failing) throw new Error('the database is away');
    return hosts.map((host, place) => ({ place, job: 100 * host, ended: false, needs_browser: 0 as const }));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
  const connections = { query } as unknown as Connections;
  const due = new DueReader({ connections, range: () => ({ first: 0, last: 1_000_000, hasBrowser: true }) });
  return { due, asked, answer: () => first.resolve() };
}

test('DueReader.ask: collects the requests during one statement into the next, and gives each its own answer', async () => {
  const { due, asked, answer } = setUp();
  const ask = (hostId: number): Promise<readonly number[]> =>
    due.ask({ hostId, lastJob: 0, room: 1 }).then(({ jobs }) => jobs);
  const answers = [1, 2].map(ask);
  await setImmediate();
  // Those of one turn of the event loop are one statement.
  expect(asked).toEqual([[1, 2]]);
  answers.push(...[3, 4].map(ask));
  answer();
  expect(await Promise.all(answers)).toEqual([[100], [200], [300], [400]]);
  expect(asked).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(await ask(5)).toEqual([500]);
});

test('DueReader.ask: rejects only the requests of a statement that fails', async () => {
  const { due, answer } = setUp({ failing: 2 });
  const ask = (hostId: number): Promise<readonly number[]> =>
    due.ask({ hostId, lastJob: 0, room: 1 }).then(({ jobs }) => jobs);
  const answers = [ask(1)];
  await setImmediate();
  answers.push(...[2, 3].map(ask));
  answer();
  const results = await Promise.allSettled(answers);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(await ask(4)).toEqual([400]);
});
