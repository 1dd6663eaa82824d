import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomInt } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { storedInputs } from '../../prove/fuzz/corpus.ts';
import { corpusFolder, fuzz } from '../../prove/fuzz/fuzz.ts';
import { targets } from '../../prove/fuzz/targets.ts';

const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));
const corpus = mkdtempSync(path.join(tmpdir(), 'hayrake-corpus-'));
afterAll(() => rmSync(corpus, { recursive: true }));

// `npm run prove -- --long` fuzzes each target for six minutes.
test.each(Object.keys(targets))(
  'fuzz: %s keeps its promises on every input that was ever worth keeping',
  async (name) => {
    const target = targets[name]!;
    const inputs = storedInputs(path.join(corpusFolder, `${name}.json`));
    expect(inputs.length).toBeGreaterThan(0);
    for (const input of inputs) await target.run(input);
  },
);

test('fuzz: finds new ways through the code, and keeps the inputs', async () => {
  console.log(`PROVE_SEED=${seed}`);
  const { robots } = await fuzz({ names: ['robots'], seconds: 3, seed, corpus });
  expect(robots?.more).toBeGreaterThan(10);
  expect(storedInputs(path.join(corpus, 'robots.json')).length).toBe(robots?.corpus);
});

test.each(['throws', 'dies'])('fuzz: names the input on which a target %s', async (name) => {
  const from = new URL('broken-target.ts', import.meta.url).href;
  const found = fuzz({ names: [name], seconds: 60, seed, corpus, from });
  const said = await found.then(
    () => 'nothing',
    (error: unknown) => String(error),
  );
  const [, file = ''] = /on the input in (\S+):/u.exec(said) ?? [];
  expect(readFileSync(file, 'latin1')).toMatch(name === 'throws' ? /^sitemap:/imu : /^crawl-delay:/imu);
  rmSync(file);
});
