import { expect, test } from 'vitest';
import { NameSet } from './name-set.ts';

test('NameSet: contains the added names, and no others', () => {
  const names = new NameSet();
  const count = 5_000;
  for (let index = 0; index < count; index++) {
    expect(names.has(`name ${index}`)).toBe(false);
    names.add(`name ${index}`);
    names.add(`name ${index}`);
  }
  for (let index = 0; index < count; index++) expect(names.has(`name ${index}`)).toBe(true);
  for (const other of ['', 'name', 'Name 1', `name ${count}`]) expect(names.has(other)).toBe(false);
});
