// Time limits by tier, so that a test that hangs is known soon: an inner loop, and the whole check on a busy machine.
import { expect, vi } from 'vitest';

const file = expect.getState().testPath ?? '';
const limitMs = file.includes('.all.test.') ? 180_000 : file.includes('/src/') ? 30_000 : 90_000;
vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs });
