// Shares where the processes of this service listen, so that none of them crawls another.
import { hostname, networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import { isLoopback } from '../core/process/loopback.ts';
import type { Listener, Store } from '../core/ports/stores.ts';
import type { Egress } from '../fetch/guard/egress.ts';

const noteEveryMs = 30_000;
/** A process without access to the database for a while still listens. */
const keptMs = 120_000;

/**
 * Notes where this process listens, if it does, and makes the guard refuse all noted listeners: at once, and at regular
 * intervals.
 */
export async function shareListeners(
  store: Pick<Store, 'noteListener'>,
  { own, egress, signal, log }: { own?: Listener; egress: Egress; signal: AbortSignal; log: Log },
): Promise<void> {
  const share = async (): Promise<void> => {
    try {
      const all = await store.noteListener(own, keptMs);
      egress.setListeners(all.flatMap(reachableFromHere));
    } catch (error) {
      // The store has already reported a fault of its own; the next attempt is soon.
      if (!(error instanceof ExitError)) log.error('listeners could not be noted', { error });
    }
  };
  await share();
  void (async () => {
    while (!signal.aborted) {
      await sleep(noteEveryMs, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await share();
    }
  })();
}

/**
 * `address` is the address that the socket is bound to. A wildcard address is noted as all addresses of the machine.
 */
export function listenerAt(address: string, port: number): Listener {
  const isForAll = address === '0.0.0.0' || address === '::';
  const all = Object.values(networkInterfaces()).flatMap((infos) => infos ?? []);
  const addresses = isForAll ? all.map((info) => info.address) : [address];
  return { machine: hostname(), addresses: addresses.toSorted(), port };
}

/** Skips loopback addresses of other machines. */
function reachableFromHere({ machine, addresses, port }: Listener): { address: string; port: number }[] {
  return addresses
    .filter((address) => machine === hostname() || !isLoopback(address))
    .map((address) => ({ address, port }));
}
