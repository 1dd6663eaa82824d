// How often the database is asked for the numbers of hosts.
import { expect, it, vi } from 'vitest';
import type { Connections } from '../connection/connections.ts';
import { HostIds } from './host-ids.ts';

type Query = Connections['query'];

function hostIds(...answers: readonly (readonly { readonly id: number; readonly name: string }[])[]): {
  readonly ids: HostIds;
  readonly query: ReturnType<typeof vi.fn>;
} {
  const query = vi.fn<(sql: string, values: readonly unknown[]) => Promise<unknown>>();
  for (const rows of answers) query.mockResolvedValueOnce(rows);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only method that is used
  return { ids: new HostIds({ query: query as unknown as Query } as Connections), query };
}

it('HostIds.learn: sends one statement for a new host, and none for a known one', async () => {
  const { ids, query } = hostIds([{ id: 7, name: 'a.test:80' }]);
  await ids.learn(['a.test:80', 'a.test:80']);
  await ids.learn(['a.test:80']);
  expect(ids.of('a.test:80')).toBe(7);
  expect(query).toHaveBeenCalledTimes(1);
});

it('HostIds.learn: reads a host again that another process creates at the same time', async () => {
  const [one, two] = [
    { id: 7, name: 'a.test:80' },
    { id: 8, name: 'b.test:80' },
  ];
  const { ids, query } = hostIds([one], [one, two]);
  await ids.learn(['b.test:80', 'a.test:80']);
  expect([ids.of('a.test:80'), ids.of('b.test:80')]).toEqual([7, 8]);
  expect(query).toHaveBeenCalledTimes(2);
});
