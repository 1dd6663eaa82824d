// glibc gives each thread an arena of its own, and keeps in it what large pages left behind: 100 MB of a crawl that used none
// of it (decision 16). What it may keep, it reads from the environment when a program starts, so the program starts once more.

/** Two arenas; from 128 KiB on, memory comes from the system and goes back there at once, whatever came before. */
const settings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/** V8 takes the nodes of a large page, which are garbage once it is converted, for long-lived (decision 44). */
const flags = ['--no-allocation-site-pretenuring'];

/**
 * Replaces this process by the same program with the same arguments, once, where that is of use: `serve`, on Linux. Its id, its
 * standard streams and all that the environment says of memory already stay as they are.
 */
export function restartWithCalmMalloc(): void {
  const { argv, env, execArgv, execPath, platform } = process;
  const isSaid = Object.keys(settings).some((name) => env[name] !== undefined);
  // A channel to a parent would be lost.
  if (argv[2] !== 'serve' || platform !== 'linux' || isSaid || process.send !== undefined) return;
  if (typeof process.execve !== 'function') return;
  process.execve(execPath, [execPath, ...execArgv, ...flags, ...argv.slice(1)], { ...env, ...settings });
}
