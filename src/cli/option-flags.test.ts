import { expect, test } from 'vitest';
import { withFlags } from './option-flags.ts';

test.each([
  ['Crawl again with `store_raw: true`: it is lost.', 'Crawl again with `--store-raw`: it is lost.'],
  ['`no_such_option: true` and `complete: true` stay.', '`no_such_option: true` and `complete: true` stay.'],
  ['Crawl again with a higher `page_limit`.', 'Crawl again with a higher `--limit`.'],
  ['`respect_robots: false` crawls without it.', '`--ignore-robots` crawls without it.'],
  ['`use_browser: true`, not `use_browser: auto`.', '`--browser always`, not `--browser auto`.'],
  ['Set `allow_external` or `scope: subdomains`.', 'Set `--allow-external` or `--scope subdomains`.'],
  ['`respect_robots` and `keep_cookies: true` have none.', '`respect_robots` and `keep_cookies: true` have none.'],
])('withFlags: says %j in terms of flags', (message, said) => {
  expect(withFlags(message)).toBe(said);
});
