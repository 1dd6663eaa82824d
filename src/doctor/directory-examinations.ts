/** The directory where SQLite keeps everything, and its file system. */
import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Diagnosis } from '../core/ports/diagnosis.ts';
import { diagnosesOf } from './diagnoses.ts';

/** Checks that the directory can be written, or created. `whatOthersCanRead`: the remedy if other users can read it. */
export function examineDirectory(dir: string, whatOthersCanRead: (dir: string) => string | undefined): Diagnosis {
  const { ok, warn, fail } = diagnosesOf('data directory');
  const at = statSync(dir, { throwIfNoEntry: false });
  if (at !== undefined && !at.isDirectory()) return fail(`${dir} is not a directory.`, 'Name another one with --data.');
  const nearest = existing(dir);
  const problem = whyNotWritable(nearest);
  if (problem !== undefined)
    return fail(
      `${nearest} is not writable: ${problem}.`,
      `Give it to the user of this process (\`chown\`), or name another directory with --data.`,
    );
  if (at === undefined) return ok(`${dir}, created at the first start`);
  const open = whatOthersCanRead(dir);
  if (open === undefined) return ok(dir);
  return warn(
    `Other users of this machine can read ${dir}, including the tokens of clients' sites.`,
    `\`chmod -R go-rwx ${dir}\``,
  );
}

function whyNotWritable(dir: string): string | undefined {
  try {
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EROFS') return 'its file system is read-only';
    return code === 'EACCES' || code === 'EPERM' ? 'this user has no permission' : String(code);
  }
}

/** Space for a crawl of some thousand pages. */
const roomMb = 1_024;

/** `freeMbMin`: below this the crawl pauses. */
export function examineDisk(dir: string, freeMbMin: number): Diagnosis {
  const { ok, warn, fail } = diagnosesOf('disk');
  const { bavail, bsize } = statfsSync(existing(dir));
  const freeMb = Math.floor((bavail * bsize) / 2 ** 20);
  const message = `${freeMb} MiB free`;
  const remedy =
    'Free some space, move the directory to a larger disk (`hayrake backup`, `restore`), or delete old jobs.';
  if (freeMb < freeMbMin) return fail(`${message}: the crawl pauses below ${freeMbMin} (HAYRAKE_DISK_FREE_MB)`, remedy);
  if (freeMb < freeMbMin + roomMb) return warn(`${message}, which is not much`, remedy);
  return ok(message);
}

/** Checks that SQLite and the stored data are safe on this kind of file system. */
export function examineFileSystem(dir: string): Diagnosis {
  const { ok, warn } = diagnosesOf('file system');
  const kind = fileSystems.get(statfsSync(existing(dir)).type >>> 0);
  if (kind === undefined) return ok('local');
  const [message, remedy] = kinds[kind];
  return warn(message, remedy);
}

/** Type numbers on Linux (statfs(2)). Types that are not listed count as local disks. */
const fileSystems: ReadonlyMap<number, 'network' | 'memory' | 'container'> = new Map([
  [0x6969, 'network'],
  [0x517b, 'network'],
  [0xff534d42, 'network'],
  [0xfe534d42, 'network'],
  [0x01021997, 'network'],
  [0x00c36400, 'network'],
  [0x01021994, 'memory'],
  [0x858458f6, 'memory'],
  [0x794c7630, 'container'],
]);

const kinds: Readonly<Record<'network' | 'memory' | 'container', readonly [message: string, remedy: string]>> = {
  network: [
    'a network file system, on which locks and the write-ahead log of SQLite are not safe',
    'Use a local disk with --data, or a PostgreSQL database (HAYRAKE_DATABASE_URL).',
  ],
  memory: ['in memory: everything is lost when the machine restarts', 'Name a directory on a disk with --data.'],
  container: [
    "a container's own layer: everything is lost with the container",
    'Mount a volume, and name it with --data.',
  ],
};

/** The directory, or its nearest ancestor that exists. */
function existing(dir: string): string {
  const at = path.resolve(dir);
  return statSync(at, { throwIfNoEntry: false }) !== undefined || path.dirname(at) === at
    ? at
    : existing(path.dirname(at));
}
