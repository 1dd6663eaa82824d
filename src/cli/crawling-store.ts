import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../core/errors.ts';
import type { Store } from '../core/ports/stores.ts';
import { BesideService } from './beside-service.ts';
import type { Flags } from './flags.ts';
import type { Program } from './program.ts';
import { serviceBeside } from './service-beside.ts';

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
  const store = await openCrawling(program, quiet);
  try {
    return await use(quiet, store);
  } finally {
    await store.close();
  }
}

/** Rejects with a {@link BesideService} if a service with an API has the data directory. */
async function openCrawling(program: Program, config: Config): Promise<Store> {
  try {
    return await program.openStore(config, { crawling: true });
  } catch (error) {
    if (!(error instanceof ExitError) || error.exitCode !== exitCodes.directoryInUse) throw error;
    const reading = await program.openStore(config, { crawling: false });
    try {
      const origin = await serviceBeside(program, reading);
      throw origin === undefined ? error : new BesideService(origin, config.data, config.token === undefined);
    } finally {
      await reading.close();
    }
  }
}
