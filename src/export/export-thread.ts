// A thread that encodes one export, so that the main thread neither unpacks nor parses a page. It requests slices one by
// one, and sends the next chunk only when the previous one was taken.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { ExitError, type StorageProblem } from '../core/errors.ts';
import type { ExportedJob, ExportFormat, ExportSlice, FileRoom } from './export-format.ts';
import { exportFormats, type FormatName } from './formats.ts';
import { outputChunks } from './output-chunks.ts';

export interface ExportTask {
  readonly format: FormatName;
  readonly job: ExportedJob;
  readonly packed: boolean;
  /** For formats that need a file. */
  readonly file?: FileRoom & { readonly path: string };
}

/** A slice on its way to the thread. */
export interface CarriedSlice {
  readonly numbers: readonly number[];
  readonly crcs: readonly number[];
  readonly lengths: readonly number[];
  /** Compressed bytes of each page. */
  readonly sizes: readonly number[];
  /** The compressed pages, concatenated. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly damagedPage?: number;
}

/** `end`: there is no further slice. `taken`: the last chunk was taken. */
export type ToThread = { readonly slice: CarriedSlice } | 'end' | 'taken';

export type FromThread =
  | { readonly kind: 'next' | 'opened' | 'done' }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'failed'; readonly message: string; readonly storage?: Carried };

/** What is left of an `ExitError` between threads. */
export interface Carried {
  readonly exitCode: number;
  readonly problem: StorageProblem;
}

async function run(port: MessagePort, task: ExportTask): Promise<void> {
  const say = (message: FromThread, moved: ArrayBuffer[] = []): void => port.postMessage(message, moved);
  const heard: ToThread[] = [];
  let wake: (() => void) | undefined;
  port.on('message', (message: ToThread) => {
    heard.push(message);
    wake?.();
  });
  const hear = async (): Promise<ToThread> => {
    for (;;) {
      const next = heard.shift();
      if (next !== undefined) return next;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };

  // Chunks and slices are never under way at the same time, so each message answers the last request.
  async function* slices(): AsyncGenerator<ExportSlice> {
    for (;;) {
      say({ kind: 'next' });
      const message = await hear();
      if (typeof message === 'string') return;
      yield received(message.slice);
    }
  }

  const format: ExportFormat = exportFormats[task.format];
  if ('loadWriter' in format) {
    if (!task.file) throw new Error(`${task.format} needs a file`);
    const write = await format.loadWriter();
    await write(slices(), task.job, task.file.path, task.file, () => say({ kind: 'opened' }));
  } else {
    const encode = await ((task.packed ? format.loadPacked : undefined) ?? format.load)();
    for await (const bytes of outputChunks(encode(slices(), task.job))) {
      say({ kind: 'chunk', bytes }, [bytes.buffer]);
      await hear();
    }
  }
  say({ kind: 'done' });
}

function received({ numbers, crcs, lengths, sizes, bytes, damagedPage }: CarriedSlice): ExportSlice {
  let at = 0;
  const pages = numbers.map((page, index) => {
    const size = sizes[index] ?? 0;
    const deflated = bytes.subarray(at, at + size);
    at += size;
    return { page, body: { deflated, crc: crcs[index] ?? 0, length: lengths[index] ?? 0 } };
  });
  return { pages, ...(damagedPage !== undefined && { damagedPage }) };
}

function failure(error: unknown): FromThread {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ExitError)) return { kind: 'failed', message };
  return { kind: 'failed', message, storage: { exitCode: error.exitCode, problem: error.problem } };
}

if (parentPort) {
  const port = parentPort;
  run(port, workerData as ExportTask)
    .catch((error: unknown) => port.postMessage(failure(error)))
    .finally(() => port.close());
}
