import type { Hayrake } from '../../packages/client/index.ts';
import { exitCodes, UserError } from '../core/errors.ts';
import { permissions } from '../core/permissions.ts';
import type { Store } from '../core/ports/stores.ts';
import type { JobOwner } from '../jobs/create-job.ts';
import type { DroppedParts } from '../jobs/read-dropped.ts';
import { defaultOrg } from '../jobs/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Place } from '../options/option.ts';
import { withCrawlingStore } from './crawling-store.ts';
import type { Flags } from './flags.ts';
import { inTermsOfFlags } from './option-flags.ts';
import type { Engine, Program } from './program.ts';
import { stopSignals } from './stop-signals.ts';
import { askService } from './verbs/service-verbs.ts';
import { remoteOf } from './verbs/with-verbs.ts';

interface Request<Here, There> {
  readonly place: Place;
  readonly body: { readonly url: string };
  /** Undefined if the signal fired first. */
  readonly run: (
    parts: DroppedParts,
    caller: JobOwner,
    body: unknown,
    signal: AbortSignal,
  ) => Promise<Here | undefined>;
  /** The same in a service. */
  readonly there: (client: Hayrake, signal: AbortSignal) => Promise<There>;
}

/** Runs a request whose answer comes at once, and shows the answer. Returns the exit code. */
export async function onePageNow<Here, There>(
  program: Program,
  flags: Flags,
  request: Request<Here, There>,
  show: (answer: Here | There) => number,
): Promise<number> {
  const { place, body } = request;
  const remote = remoteOf(program, flags);
  try {
    if (!remote)
      return await withCrawlingStore(program, flags, async (config, store) => {
        const answer = await runHere(program, config, store, request);
        return answer === undefined ? exitCodes.interrupted : show(answer);
      });
    const { signal } = stopSignals();
    const answer = await askService(remote.server, () => request.there(remote.client, signal)).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error;
        return undefined;
      },
    );
    return answer === undefined ? exitCodes.interrupted : show(answer);
  } catch (error) {
    throw error instanceof UserError ? inTermsOfFlags(error, place, [body.url], remote !== undefined) : error;
  }
}

/** With an engine that crawls its job only. */
async function runHere<Here>(
  program: Program,
  config: Config,
  store: Store,
  { body, run }: Pick<Request<Here, never>, 'body' | 'run'>,
): Promise<Here | undefined> {
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
    const parts: DroppedParts = {
      jobs: store.jobs,
      blobs: store.blobs,
      pages: store.pages,
      crawlJob: (id) => store.frontier.crawlJob(id),
      destinations,
      hasBrowser,
      hasModel: config.modelUrl !== undefined,
      begin,
    };
    const caller = { org: defaultOrg, permissions };
    return await run(parts, caller, body, AbortSignal.any([stops.signal, failure.signal]));
  } finally {
    await engine?.stop();
    await destinations.close();
  }
}
