// How an export treats its pages: read no faster than its bytes are taken, and not at all once the client is gone.
import { expect, test } from 'vitest';
import type { ExportSlice } from '../../src/export/export-format.ts';
import { encodeApart, writeApart } from '../../src/export/encode-apart.ts';
import { exportFormats, type FormatName, formatNames } from '../../src/export/formats.ts';
import { canMount, mountDisk } from '../faults/inject.ts';
import { jobOf, stored } from './export-pages.ts';

const streamed = formatNames.filter((name) => !('loadWriter' in exportFormats[name]));
/** Sends nothing before it has read all pages. */
const collected: FormatName = 'llms.txt';
const job = { ...jobOf([], 'markdown'), total: 1_000_000 };

const { body } = stored({ url: 'https://site.test/', text: randomText(1) }, 1);

/** Slices of one page of 64 KiB that do not end; how many were taken and returned, and whether they were closed. */
function endlessSlices(onTaken?: (taken: number) => void) {
  const counts = { taken: 0, released: 0, isClosed: false };
  async function* slices(): AsyncGenerator<ExportSlice & { release: () => void }> {
    try {
      for (;;) {
        counts.taken++;
        onTaken?.(counts.taken);
        yield { pages: [{ page: counts.taken, body }], release: () => void counts.released++ };
      }
    } finally {
      counts.isClosed = true;
    }
  }
  return { counts, slices: slices() };
}

/** Words that barely compress. */
function randomText(seed: number): string {
  let state = seed;
  return Array.from({ length: 9_000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state.toString(36);
  }).join(' ');
}

test.each(streamed.filter((name) => name !== collected))(
  '%s reads no further than 16 MiB before what was taken',
  async (format) => {
    const { counts, slices } = endlessSlices();
    const stop = new AbortController();
    const chunks = encodeApart({ format, job, packed: false }, slices, stop.signal);
    let most = 0;
    let before = 0;
    while (counts.taken < 300) {
      const { done } = await chunks.next();
      expect(done).toBe(false);
      most = Math.max(most, counts.taken - before);
      before = counts.taken;
    }
    // Parquet collects groups of rows of 8 MiB.
    expect(most).toBeLessThan(16 * 16);
    expect(counts.released).toBe(counts.taken);
    await chunks.return(undefined);
    expect(counts).toMatchObject({ taken: before, isClosed: true });
  },
);

test.each(streamed)('%s ends when its client leaves, whatever it does', async (format) => {
  const gone = new AbortController();
  const { counts, slices } = endlessSlices((taken) => {
    if (taken === 4) gone.abort();
  });
  const read = async (): Promise<void> => {
    for await (const _ of encodeApart({ format, job, packed: false }, slices, gone.signal));
  };
  await expect(read()).rejects.toThrow('ended early');
  expect(counts).toMatchObject({ taken: 4, isClosed: true });
});

test.skipIf(!canMount)(
  'writeApart: rejects with insufficient_storage when the disk fills up, with and without a reserve (needs root to mount disks)',
  async () => {
    const disk = mountDisk(4);
    try {
      const written = (format: 'sqlite', diskFreeMb: number): Promise<unknown> =>
        writeApart(
          { format, job, packed: false },
          endlessSlices().slices,
          { directory: `${disk.directory}/exports`, diskFreeMb },
          AbortSignal.timeout(60_000),
        );
      await expect(written('sqlite', 0)).rejects.toMatchObject({ name: 'ExitError', problem: 'insufficient_storage' });
      await expect(written('sqlite', 64)).rejects.toMatchObject({ name: 'ExitError', problem: 'insufficient_storage' });
      disk.fill();
      await expect(written('sqlite', 0)).rejects.toMatchObject({ name: 'ExitError', problem: 'insufficient_storage' });
    } finally {
      disk.remove();
    }
  },
);
