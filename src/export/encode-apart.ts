// The main thread's end of an export: a thread for each (see export-thread.ts).
import { once } from 'node:events';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ExitError } from '../core/errors.ts';
import { makeDirectory } from '../core/process/make-directory.ts';
import { siblingModule, startThread } from '../core/process/program-files.ts';
import { threadMemory } from '../core/process/thread-memory.ts';
import { textOf } from '../core/page.ts';
import type { ExportSlice, FileRoom } from './export-format.ts';
import { fullDisk, isDiskFull } from './full-disk.ts';
import type { CarriedSlice, ExportTask, FromThread, ToThread } from './export-thread.ts';

/** MiB of the heap of a thread. A page of 20 MiB takes up to half of it. */
export const heapMbMax = 384;

/** Pages, and a way to free their memory. */
interface HeldSlice extends ExportSlice {
  readonly release: () => void;
}

/**
 * Yields the bytes of an export. Holds at most one slice, and a few chunks of output, however slowly it is read. When
 * the signal fires, or the caller stops, the thread ends at once. Rejects when a slice does.
 */
export async function* encodeApart(
  task: ExportTask,
  slices: AsyncGenerator<HeldSlice>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const thread = new Thread(task, signal);
  try {
    for (;;) {
      const said = await thread.next();
      if (said.kind === 'done') return;
      if (said.kind === 'chunk') {
        yield said.bytes;
        thread.tell('taken');
      } else await thread.response(said, slices);
    }
  } finally {
    await thread.end();
    await slices.return(undefined);
  }
}

/**
 * Writes an export to a file without a name in a directory, which is created if necessary. The caller closes the file;
 * its space is then free again, also if the process dies.
 */
export async function writeApart(
  task: Omit<ExportTask, 'file'>,
  slices: AsyncGenerator<HeldSlice>,
  room: FileRoom,
  signal: AbortSignal,
): Promise<FileHandle> {
  const own = await ownDirectory(room).catch((error: unknown) => {
    throw isDiskFull(error) ? fullDisk(room, 'no free space') : error;
  });
  const file = { ...room, path: path.join(own, 'export') };
  let handle: FileHandle | undefined;
  const thread = new Thread({ ...task, file }, signal);
  let isDone = false;
  try {
    for (let said = await thread.next(); said.kind !== 'done'; said = await thread.next()) {
      if (said.kind === 'opened') {
        handle = await open(file.path, 'r');
        // The thread and the handle still have it.
        await rm(own, { recursive: true });
      } else await thread.response(said, slices);
    }
    if (!handle) throw new Error('the export has no file');
    isDone = true;
    return handle;
  } finally {
    await thread.end();
    await slices.return(undefined);
    if (!isDone) await handle?.close();
    await rm(own, { recursive: true, force: true });
  }
}

async function ownDirectory({ directory }: FileRoom): Promise<string> {
  makeDirectory(directory, 0o700);
  return mkdtemp(path.join(directory, 'export-'));
}

/** What a thread says, one message after the other. */
class Thread {
  readonly #worker: Worker;
  readonly #said: FromThread[] = [];
  readonly #exited: Promise<unknown>;
  readonly #signal: AbortSignal;
  readonly #stop = (): void => void this.#worker.terminate();
  #failed: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(task: ExportTask, signal: AbortSignal) {
    this.#signal = signal;
    this.#worker = startThread(siblingModule('./export-thread', import.meta.url), {
      resourceLimits: { ...threadMemory, maxOldGenerationSizeMb: heapMbMax },
      workerData: task,
    });
    this.#exited = once(this.#worker, 'exit');
    this.#exited.catch(() => {});
    this.#worker.on('message', (message: FromThread) => {
      this.#said.push(message);
      this.#wake?.();
    });
    this.#worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => this.#fail(new Error('the thread of an export ended early')));
    signal.addEventListener('abort', this.#stop);
    if (signal.aborted) this.#stop();
  }

  async next(): Promise<FromThread> {
    for (;;) {
      const said = this.#said.shift();
      if (said?.kind === 'failed')
        throw said.storage ? storageError(said.message, said.storage) : new Error(said.message);
      if (said) return said;
      if (this.#failed) throw this.#failed;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Answers the request for a slice. */
  async response({ kind }: FromThread, slices: AsyncGenerator<HeldSlice>): Promise<void> {
    if (kind !== 'next') throw new Error(`the thread of an export said ${kind}`);
    const { done, value } = await slices.next();
    if (done === true) {
      this.tell('end');
      return;
    }
    const slice = carried(value);
    value.release();
    this.tell({ slice }, [slice.bytes.buffer]);
  }

  tell(message: ToThread, moved: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, moved);
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#stop);
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failed ??= error;
    this.#wake?.();
  }
}

function storageError(message: string, { exitCode, problem }: Pick<ExitError, 'exitCode' | 'problem'>): ExitError {
  return new ExitError(exitCode, message, problem);
}

/** Copies the pages into memory that moves to the thread. The memory of a slice returns to its reader. */
function carried({ pages, damagedPage }: ExportSlice): CarriedSlice {
  const fragments = pages.map((stored) => textOf(stored));
  const bytes = new Uint8Array(fragments.reduce((sum, { deflated }) => sum + deflated.length, 0));
  let at = 0;
  for (const { deflated } of fragments) {
    bytes.set(deflated, at);
    at += deflated.length;
  }
  return {
    numbers: pages.map(({ page }) => page),
    crcs: fragments.map(({ crc }) => crc),
    lengths: fragments.map(({ length }) => length),
    sizes: fragments.map(({ deflated }) => deflated.length),
    bytes,
    ...(damagedPage !== undefined && { damagedPage }),
  };
}
