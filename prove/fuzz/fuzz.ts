// Fuzzes what reads bytes of strangers: each target for some seconds, two at a time. An input that breaks a promise, kills its
// process or takes too long ends the run, and is kept.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** No input of 8 KiB may take so long, on a busy machine either. */
const inputMsMax = 20_000;
const program = fileURLToPath(new URL('run-target.ts', import.meta.url));
const ownTargets = new URL('targets.ts', import.meta.url).href;
export const corpusFolder = path.join(import.meta.dirname, 'corpus');

export interface FuzzOptions {
  readonly names: readonly string[];
  /** Of each target. */
  readonly seconds: number;
  readonly seed: number;
  /** Where inputs are kept. @default those of the repository */
  readonly corpus?: string;
  /** The module with the targets. @default our own */
  readonly from?: string;
}

export interface FuzzReport {
  readonly tried: number;
  /** Inputs that are kept. */
  readonly corpus: number;
  /** Ways in which our functions ran, and those of them that no kept input had shown before. */
  readonly ways: number;
  readonly more: number;
}

/** Rejects with the first finding: what happened, and the file that has the input. */
export async function fuzz(
  options: FuzzOptions,
  tell: (text: string) => void = () => {},
): Promise<Readonly<Record<string, FuzzReport>>> {
  const reports: Record<string, FuzzReport> = {};
  const left = [...options.names];
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      reports[name] = await fuzzOne(name, options);
      tell(`${name}: ${JSON.stringify(reports[name])}`);
    }
  };
  await Promise.all([work(), work()]);
  return reports;
}

async function fuzzOne(name: string, options: FuzzOptions): Promise<FuzzReport> {
  const { seconds, seed, corpus = corpusFolder, from = ownTargets } = options;
  mkdirSync(corpus, { recursive: true });
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-fuzz-'));
  const last = path.join(folder, name);
  const settings = [from, name, String(seconds), String(seed), path.join(corpus, `${name}.json`), last];
  const child = spawn(process.execPath, ['--max-old-space-size=1024', program, ...settings], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, wrong] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (wrong += text));
  const ended = once(child, 'close') as Promise<[number | null]>;
  const over = new AbortController();
  const watching = watch(last, over.signal, () => {
    wrong += `\nan input took more than ${inputMsMax / 1000} s`;
    child.kill('SIGKILL');
  });
  const [code] = await ended;
  over.abort();
  await watching;
  if (code === 0) {
    rmSync(folder, { recursive: true });
    return JSON.parse(said) as FuzzReport;
  }
  const finding = path.join(tmpdir(), `hayrake-fuzz-${name}-${seed}`);
  copyFileSync(last, finding);
  rmSync(folder, { recursive: true });
  throw new Error(`${name} ended with ${code} on the input in ${finding}: ${wrong.slice(-2_000)}`);
}

/** Each input is written before it is tried, so a file that stays as it is says that one takes long. */
async function watch(file: string, over: AbortSignal, onSilence: () => void): Promise<void> {
  let [changedAt, seen] = [performance.now(), -1];
  while (!over.aborted) {
    await sleep(500, undefined, { signal: over }).catch(() => {});
    const { mtimeMs = -1 } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== seen) [changedAt, seen] = [performance.now(), mtimeMs];
    else if (performance.now() - changedAt > inputMsMax && seen !== -1) return onSilence();
  }
}
