// Where the processes of this service listen, so that none of them is crawled by another.
import { hostname, networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError } from './core/errors.ts';
import type { Log } from './core/log.ts';
import { isLoopback } from './core/loopback.ts';
import type { Listener, Store } from './core/stores.ts';
import type { Egress } from './fetch/egress.ts';

const noteEveryMs = 30_000;
/** A process that cannot reach the database for a while still listens. */
const keptMs = 120_000;

/** Notes where this process listens, if it does, and has the guard refuse all that processes noted: at once, and regularly. */
export async function shareListeners(
  store: Pick<Store, 'noteListener'>,
  { own, egress, signal, log }: { own?: Listener; egress: Egress; signal: AbortSignal; log: Log },
): Promise<void> {
  const share = async (): Promise<void> => {
    try {
      const all = await store.noteListener(own, keptMs);
      egress.setListeners(all.flatMap(reachableFromHere));
    } catch (error) {
      // The store has reported a fault of its own already; the next time is soon.
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

/** `address` is what the socket is bound to; one for all of its family is noted as each address that the machine has. */
export function listenerAt(address: string, port: number): Listener {
  const isForAll = address === '0.0.0.0' || address === '::';
  const all = Object.values(networkInterfaces()).flatMap((infos) => infos ?? []);
  const addresses = isForAll ? all.map((info) => info.address) : [address];
  return { machine: hostname(), addresses: addresses.toSorted(), port };
}

/** A loopback address of another machine is not this one's. */
function reachableFromHere({ machine, addresses, port }: Listener): { address: string; port: number }[] {
  return addresses
    .filter((address) => machine === hostname() || !isLoopback(address))
    .map((address) => ({ address, port }));
}
