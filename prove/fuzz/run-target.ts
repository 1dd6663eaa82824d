// Fuzzes one target in a process of its own, guided by coverage: `run-target.ts MODULE NAME SECONDS SEED CORPUS LAST`. Each
// input is in the file LAST before it is tried, so a process that hangs or dies leaves it behind. Prints a line of JSON at the end.
import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { isLostByPdf } from '../../src/documents/lost-by-pdf.ts';
import { createRandom } from '../simulation/random.ts';
import { Coverage } from './coverage.ts';
import { mutate } from './mutate.ts';
import { storedInputs, storeInputs } from './corpus.ts';
import type { Target } from './targets.ts';

const [from = '', name = '', seconds = '', seed = '', corpusFile = '', lastFile = ''] = process.argv.slice(2);
const { targets } = (await import(from)) as { readonly targets: Readonly<Record<string, Target>> };
const target = targetNamed(name);
process.on('unhandledRejection', (error) => {
  if (!isLostByPdf(error)) throw error;
});
const random = createRandom(Number(seed));
const coverage = new Coverage();
const last = openSync(lastFile, 'w');

function targetNamed(wanted: string): Target {
  const found = targets[wanted];
  if (!found) throw new Error(`there is no target ${wanted}`);
  return found;
}

async function tryInput(input: Uint8Array): Promise<void> {
  ftruncateSync(last, 0);
  writeSync(last, input, 0, input.length, 0);
  await target.run(input);
}

const begin = [...target.seeds.map((given) => Buffer.from(given)), ...storedInputs(corpusFile)];
await coverage.start();
const corpus: Uint8Array[] = [];
const keys = new Set<string>();
let tried = 0;
/** Keeps an input if it runs our code in a new way. */
async function keep(input: Uint8Array): Promise<void> {
  tried++;
  await tryInput(input);
  const key = createHash('sha1').update(input).digest('hex');
  if ((await coverage.newWays()) === 0 || keys.has(key)) return;
  keys.add(key);
  corpus.push(input);
}
for (const input of begin) await keep(input);
if (corpus.length === 0) throw new Error(`no input of ${name} runs any code`);
const before = coverage.ways;
const until = performance.now() + Number(seconds) * 1000;
while (performance.now() < until) await keep(mutate(random.of(corpus), random.of(corpus), target.words, random));
closeSync(last);
const found = storeInputs(corpusFile, corpus);
process.stdout.write(
  `${JSON.stringify({ tried, corpus: found, ways: coverage.ways, more: coverage.ways - before })}\n`,
);
