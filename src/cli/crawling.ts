import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../core/errors.ts';
import type { Store } from '../core/ports/stores.ts';
import { type Access, accessTo, withStore } from './access.ts';
import { BesideService } from './beside-service.ts';
import type { Flags } from './flags.ts';
import type { Engine, Program } from './program.ts';
import { serviceBeside } from './service-beside.ts';

/** A store that this process crawls with. */
export interface Crawling {
  readonly config: Config;
  readonly store: Store;
  readonly access: Access;
  /** Begins to crawl one job, and nothing else. */
  readonly begin: (job: string) => Promise<Engine>;
}

/**
 * Opens the store for crawling while `use` runs. Log lines would overwrite the progress display, so only errors are
 * logged unless the user sets a level. A request that waits for its page begins to crawl; `failure` is aborted if the store
 * fails meanwhile, which stopping the engine reports.
 */
export async function withCrawling(
  program: Program,
  flags: Flags,
  use: (crawling: Crawling, failure: AbortSignal) => Promise<number>,
): Promise<number> {
  const { config: given, origins } = program.readConfig(flags);
  const config: Config = origins.logLevel.origin === 'default' ? { ...given, logLevel: 'error' } : given;
  const store = await openCrawling(program, config);
  try {
    const log = program.createLog(config);
    const failure = new AbortController();
    let engine: Engine | undefined;
    const begin = async (onlyJob: string): Promise<Engine> => {
      engine = await program.startEngine(config, store, { onlyJob }, log);
      engine.done.catch(() => failure.abort());
      return engine;
    };
    const door = await program.openDoor(config, store, {
      log,
      engine: () => engine,
      begin: async (job) => void (await begin(job)),
    });
    try {
      return await use({ config, store, access: accessTo(program, config, store, door), begin }, failure.signal);
    } finally {
      await door.close();
      await engine?.stop();
    }
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
    const origin = await withStore(program, config, {}, (store) => serviceBeside(program, store));
    throw origin === undefined ? error : new BesideService(origin, config.data, config.token === undefined);
  }
}
