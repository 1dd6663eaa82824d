// What is published of the client: small, for every runtime, and typed by the API.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleClient, declareClient } from '../../scripts/bundle-client.ts';

test('the client is less than 6 KB, compressed, and imports nothing', async () => {
  const { contents } = await bundleClient();
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThan(6_000);
  expect(Buffer.from(contents).toString()).not.toMatch(/\bimport\b|\brequire\(|node:/);
});

test('its declarations import only what is published next to them', () => {
  const files = declareClient();
  const names = new Set(files.map(({ name }) => name.replace(/\.d\.ts$/, '.js')));
  const imported = files.flatMap(({ contents }) =>
    [
      ...Buffer.from(contents)
        .toString()
        .matchAll(/from '([^']+)'/g),
    ].map(([, from = '']) => from),
  );
  expect(names).toContain('index.js');
  expect(imported.length).toBeGreaterThan(3);
  for (const from of imported) expect(names).toContain(from.replace('./', ''));
});
