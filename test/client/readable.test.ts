import { expect, test } from 'vitest';
import { bundleClient } from '../../scripts/bundle-client.ts';

test('published client: has lines that fit a stack trace, and names that people can read', async () => {
  const { contents } = await bundleClient();
  const source = Buffer.from(contents).toString();
  const longest = Math.max(...source.split('\n').map((line) => line.length));
  expect(longest).toBeLessThan(300);
  expect(source).toContain('HayrakeError = class extends Error');
});
