import type { Hayrake } from '../../packages/client/index.ts';
import { exitCodes, UserError } from '../core/errors.ts';
import type { Place } from '../options/option.ts';
import { type Access, explained, remoteOf } from './access.ts';
import { withCrawling } from './crawling.ts';
import type { Flags } from './flags.ts';
import { inTermsOfFlags } from './option-flags.ts';
import type { Program } from './program.ts';
import { stopSignals } from './stop-signals.ts';

interface Request<Result> {
  readonly place: Place;
  readonly url: string;
  readonly ask: (client: Hayrake, signal: AbortSignal) => Promise<Result>;
}

/** Sends a request whose response comes at once, and shows it. Returns the exit code. */
export async function onePageNow<Result>(
  program: Program,
  flags: Flags,
  { place, url, ask }: Request<Result>,
  show: (response: Result) => number,
): Promise<number> {
  const remote = remoteOf(program, flags);
  const run = async ({ client, server }: Access, failure?: AbortSignal): Promise<number> => {
    const stops = stopSignals().signal;
    const signal = failure ? AbortSignal.any([stops, failure]) : stops;
    try {
      return show(await explained(server, () => ask(client, signal)));
    } catch (error) {
      if (!signal.aborted) throw error;
      return exitCodes.interrupted;
    }
  };
  try {
    return await (remote ? run(remote) : withCrawling(program, flags, ({ access }, failure) => run(access, failure)));
  } catch (error) {
    throw error instanceof UserError ? inTermsOfFlags(error, place, [url], remote !== undefined) : error;
  }
}
