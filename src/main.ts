#!/usr/bin/env node
// Where the program starts. Nothing that needs a new Node may be imported before its version is known to be good: an older
// one has no database driver, and would say so in words of its own.
import { fileURLToPath } from 'node:url';
import { restartWithCalmMalloc } from './restart-with-calm-malloc.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `hayrake needs Node 22.18 or newer, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org/.\n`,
  );
  process.exitCode = 2;
} else {
  restartWithCalmMalloc();
  // Names are resolved in libuv's pool, and four threads are soon taken by four slow name servers.
  process.env['UV_THREADPOOL_SIZE'] ??= '32';
  // Beside the program, since what is in there runs as if it were the program. Where nothing can be written, starts take longer.
  // Threads know it by the variable.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/hayrake', import.meta.url));
  const { enableCompileCache } = await import('node:module');
  enableCompileCache();
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
}
