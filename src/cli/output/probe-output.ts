import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OutputError } from './output-error.ts';

/** One block of most file systems: an empty file also fits on a full disk. */
const probeBytes = 4_096;

/**
 * Checks that files can be written below a directory, which may not exist yet, and leaves nothing behind. Rejects with
 * an {@link OutputError}.
 */
export async function probeDirectory(directory: string): Promise<void> {
  const existing = await nearestExisting(path.resolve(directory)).catch((error: unknown) => {
    throw new OutputError(directory, error);
  });
  const probe = path.join(existing, `.hayrake-${randomUUID()}`);
  try {
    try {
      await writeFile(probe, Buffer.alloc(probeBytes), { flag: 'wx' });
    } finally {
      await rm(probe, { force: true });
    }
  } catch (error) {
    throw new OutputError(directory, error);
  }
}

async function nearestExisting(directory: string): Promise<string> {
  try {
    const found = await stat(directory);
    if (found.isDirectory()) return directory;
    throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  } catch (error) {
    const parent = path.dirname(directory);
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || parent === directory) throw error;
    return nearestExisting(parent);
  }
}
