// glibc gives each thread its own arena, and keeps freed memory of large pages in it: 100 MB of a crawl that used none
// of it. glibc reads its limits from the environment at program start, so the program restarts itself once.
// docs/decisions/program.md has the measurements.

/**
 * Two arenas. Allocations from 128 KiB come directly from the system and return there at once, whatever came before.
 */
const settings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

const flags = [
  // V8 mistakes the nodes of a large page for long-lived, although they are garbage once the page is converted.
  '--no-allocation-site-pretenuring',
  // V8 compiles a function well after 3,000 calls, and again whenever it meets something new there. After 60,000 it has
  // met nearly everything. Each processor has a converter that compiles for itself.
  '--invocation-count-for-turbofan=60000',
  '--no-concurrent-recompilation',
];

/**
 * Replaces this process by the same program with the same arguments, once, if that is useful: for `serve`, on Linux.
 * Process id and standard streams stay. Does nothing if the environment already has one of the settings.
 */
export function restartWithCalmMalloc(): void {
  const { argv, env, execArgv, execPath, platform } = process;
  const isSaid = Object.keys(settings).some((name) => env[name] !== undefined);
  // A channel to a parent process would be lost.
  if (argv[2] !== 'serve' || platform !== 'linux' || isSaid || process.send !== undefined) return;
  if (typeof process.execve !== 'function') return;
  process.execve(execPath, [execPath, ...execArgv, ...flags, ...argv.slice(1)], { ...env, ...settings });
}
