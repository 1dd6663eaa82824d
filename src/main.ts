#!/usr/bin/env node
// Where the program starts. Nothing may be imported before the version of Node is known to be good: an older one has no
// database driver, and would say so in words of its own.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `hayrake needs Node 22.18 or newer, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org/.\n`,
  );
  process.exitCode = 2;
} else {
  // Names are resolved in libuv's pool, and four threads are soon taken by four slow name servers.
  process.env['UV_THREADPOOL_SIZE'] ??= '32';
  const { limitYoungGenerations } = await import('./limit-young-generations.ts');
  limitYoungGenerations();
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
}
