import { expect, test } from 'vitest';
import { MemoryObjects } from '../../test/objects/memory-objects.ts';
import { examineObjects } from './objects-examination.ts';

test('examineObjects: is content when a small object can be written, read and deleted, and leaves none', async () => {
  const objects = new MemoryObjects();
  expect(await examineObjects(objects)).toMatchObject({ state: 'ok' });
  expect([objects.puts, objects.gets, objects.stored.size]).toEqual([1, 1, 0]);
});

const refusing = async (): Promise<never> => {
  throw new Error('AccessDenied');
};
test.each([
  ['put', 'written'],
  ['get', 'read'],
  ['delete', 'deleted'],
] as const)('examineObjects: fails and names the step when the key may not %s', async (verb, word) => {
  const objects = Object.assign(new MemoryObjects(), { [verb]: refusing });
  const found = await examineObjects(objects);
  expect(found).toMatchObject({ state: 'fail', message: expect.stringContaining(`cannot be ${word}: `) });
});
