import path from 'node:path';

/** The program that tests start: the bundle of the run, or the sources where nobody made one. */
export const mainModule = process.env['TEST_PROGRAM'] ?? path.join(import.meta.dirname, '../src/main.ts');
