#!/usr/bin/env node
// Entry point of the program. Nothing that needs a recent Node may be imported before the version check: an older Node
// has no database driver, and would fail with an obscure message.
import { fileURLToPath } from 'node:url';
import { holdProgram } from './core/process/program-files.ts';
import { restartWithCalmMalloc } from './start/restart-with-calm-malloc.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `hayrake needs Node 22.18 or newer; this is Node ${process.versions.node}. Install a newer one from https://nodejs.org/.\n`,
  );
  process.exitCode = 2;
} else {
  restartWithCalmMalloc();
  // Names are resolved in libuv's pool, and four slow name servers would block its default four threads.
  process.env['UV_THREADPOOL_SIZE'] ??= '32';
  // The cache is next to the program, because its content runs as part of the program. If it cannot be written, starts
  // take longer. Threads find it by the variable.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/hayrake', import.meta.url));
  const { enableCompileCache } = await import('node:module');
  enableCompileCache();
  if (import.meta.url.endsWith('.js')) holdProgram(import.meta.dirname);
  const { runProgram } = await import('./start/program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
}
