import type { Config } from '../config.ts';
import type { Store } from '../core/stores.ts';
import type { Flags } from './flags.ts';
import type { Program } from './program.ts';

/** Opens the store to crawl with, as long as it is used. A crawl's log would be drawn over its progress: only errors, unless somebody asks for more. */
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
