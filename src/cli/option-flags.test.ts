import { expect, test } from 'vitest';
import { withFlags } from './option-flags.ts';

test.each([
  ['Crawl again with `store_raw: true`: it is lost.', 'Crawl again with `--store-raw`: it is lost.'],
  ['`no_such_option: true` and `complete: true` stay.', '`no_such_option: true` and `complete: true` stay.'],
  ['`store_raw` is a name.', '`store_raw` is a name.'],
])('withFlags: says %j in terms of flags', (message, said) => {
  expect(withFlags(message)).toBe(said);
});
