import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Real services, sockets and databases on two cores: generous, so that a busy machine fails no test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // On two cores: many of them wait for timers more than they work.
    maxWorkers: 3,
  },
});
