import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/start-program.ts', 'test/postgres/shared-server.ts'],
    // Real services, sockets and databases on two cores: generous, so that a busy machine fails no test.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Threads that tests start find their code compiled, types stripped: stripping them takes WebAssembly, and V8 has crashed a process
    // of tests when it freed that of a thread.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/hayrake') },
    // On two cores: many of them wait for timers more than they work.
    maxWorkers: 3,
  },
});
