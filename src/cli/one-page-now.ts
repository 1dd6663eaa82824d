import { UserError } from '../core/errors.ts';
import { permissions } from '../core/permissions.ts';
import type { Store } from '../core/ports/stores.ts';
import type { JobOwner } from '../jobs/create-job.ts';
import type { ScrapeParts } from '../jobs/scrape-page.ts';
import { defaultOrg } from '../jobs/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Place } from '../options/option.ts';
import { inTermsOfFlags } from './option-flags.ts';
import type { Engine, Program } from './program.ts';
import { stopSignals } from './stop-signals.ts';

interface Request<Answer> {
  readonly place: Place;
  readonly body: { readonly url: string };
  readonly run: (parts: ScrapeParts, caller: JobOwner, body: unknown, signal: AbortSignal) => Promise<Answer>;
}

/** Runs a request whose answer comes at once, with an engine that crawls its job only. */
export async function onePageNow<Answer>(
  program: Program,
  config: Config,
  store: Store,
  { place, body, run }: Request<Answer>,
): Promise<Answer> {
  const destinations = program.createDestinations(config);
  const stops = stopSignals();
  const failure = new AbortController();
  let engine: Engine | undefined;
  const begin = async (onlyJob: string): Promise<void> => {
    engine = await program.startEngine(config, store, { onlyJob }, program.createLog(config));
    // The engine ends by itself only if the store fails; stopping it below reports that.
    engine.done.catch(() => failure.abort());
  };
  try {
    const hasBrowser = (): Promise<boolean> => program.hasBrowser(config);
    const parts = { jobs: store.jobs, pages: store.pages, destinations, hasBrowser, begin };
    const caller = { org: defaultOrg, permissions };
    return await run(parts, caller, body, AbortSignal.any([stops.signal, failure.signal]));
  } catch (error) {
    throw error instanceof UserError ? inTermsOfFlags(error, place, [body.url]) : error;
  } finally {
    await engine?.stop();
    await destinations.close();
  }
}
