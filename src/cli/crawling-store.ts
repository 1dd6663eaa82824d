import type { Config } from '../config/config.ts';
import type { Store } from '../core/ports/stores.ts';
import type { Flags } from './flags.ts';
import type { Program } from './program.ts';

/**
 * Opens the store for crawling while `use` runs. Log lines would overwrite the progress display, so only errors are
 * logged unless the user sets a level.
 */
export async function withCrawlingStore(
  program: Program,
  flags: Flags,
  use: (config: Config, store: Store) => Promise<number>,
): Promise<number> {
  const { config, origins } = program.readConfig(flags);
  const quiet: Config = origins.logLevel.origin === 'default' ? { ...config, logLevel: 'error' } : config;
  const store = await program.openStore(quiet, { crawling: true });
  try {
    return await use(quiet, store);
  } finally {
    await store.close();
  }
}
