// Threads that tests start run the bundled program: one that loads the sources takes a tenth of a second of processor time more,
// and most tests of a store start one.
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';
import { mainModule } from './main-module.ts';

const sources = path.join(import.meta.dirname, '../src');

/** The module in the bundle, if the program starts threads with `module`; else `module`. */
function bundled(module: string | URL): string | URL {
  if (!(module instanceof URL) || module.protocol !== 'file:') return module;
  const file = fileURLToPath(module);
  const built = path.join(path.dirname(mainModule), `${path.basename(file, '.ts')}.js`);
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
