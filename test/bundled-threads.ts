// Threads that tests start run the bundled program: one that loads the sources takes a tenth of a second of processor time more,
// and most tests of a store start one.
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';

const sources = path.join(import.meta.dirname, '../src');
/** A test can unset it to run the sources, so `main-module.ts` is not to be loaded before that. */
const program = path.dirname(process.env['TEST_PROGRAM'] ?? sources);

/** The module in the bundle, if the program starts threads with `module`; else `module`. */
function bundled(module: string | URL): string | URL {
  if (!(module instanceof URL) || module.protocol !== 'file:') return module;
  const file = fileURLToPath(module);
  const built = path.join(program, `${path.basename(file, '.ts')}.js`);
  return file.startsWith(sources) && existsSync(built) ? pathToFileURL(built) : module;
}

class BundledWorker extends threads.Worker {
  constructor(module: string | URL, options?: threads.WorkerOptions) {
    super(bundled(module), options);
  }
}

// Files that share a process run this more than once.
if (threads.Worker.name !== BundledWorker.name) {
  threads.Worker = BundledWorker;
  syncBuiltinESMExports();
}
