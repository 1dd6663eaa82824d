// Loaded before the program by --import: counts what a crawl does, and writes it where STEPS says, one file a thread.
import { createHook } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread, threadId } from 'node:worker_threads';

export interface Steps {
  /** Of the main thread. */
  promises: number;
  /** Of SQLite, on all other threads. */
  statements: number;
}

const steps: Steps = { promises: 0, statements: 0 };

const folder = process.env['STEPS'];
if (folder !== undefined) {
  if (isMainThread) countPromises();
  else countStatements();
  process.on('exit', () => writeFileSync(path.join(folder, `${threadId}.json`), JSON.stringify(steps)));
}

function countPromises(): void {
  createHook({
    init(_, type) {
      if (type === 'PROMISE') steps.promises++;
    },
  }).enable();
}

function countStatements(): void {
  const database = new DatabaseSync(':memory:');
  const statement = Object.getPrototypeOf(database.prepare('SELECT 1')) as Record<
    string,
    (...values: unknown[]) => unknown
  >;
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const original = statement[name];
    if (original === undefined) throw new Error(`a statement has no ${name}`);
    statement[name] = function (...values) {
      steps.statements++;
      return original.apply(this, values);
    };
  }
  database.close();
}
