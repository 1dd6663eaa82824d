// Time limits by tier. They are for a test that hangs: a busy machine gives a test a tenth of its processor time.
import path from 'node:path';
import { expect, vi } from 'vitest';
import { isQuick } from './tiers.ts';

const root = path.join(import.meta.dirname, '..');
const file = path.relative(root, expect.getState().testPath ?? '').replaceAll(path.sep, '/');
const limitMs = isQuick(file) ? 120_000 : 300_000;
vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs });
