import { hostname } from 'node:os';
import { isLoopback } from '../core/process/loopback.ts';
import type { Listener, Store } from '../core/ports/stores.ts';
import type { Program } from './program.ts';

/** A service on this machine answers in milliseconds. */
const responseMs = 2_000;

/**
 * The origin of a service that runs on the same data and has an API, such as `http://127.0.0.1:8380`; undefined if none
 * answers there. Services note in their database where they listen.
 */
export async function serviceBeside(
  { hasApi }: Pick<Program, 'hasApi'>,
  store: Pick<Store, 'noteListener'>,
): Promise<string | undefined> {
  const listeners = await store.noteListener(undefined, 0);
  const origins = listeners.flatMap(originOf);
  for (const { origin } of origins.toSorted((a, b) => Number(b.isHere) - Number(a.isHere))) {
    // A worker also listens, for its health. A service that was killed stays noted for two minutes.
    if (await hasApi(new URL(origin), responseMs)) return origin;
  }
  return undefined;
}

function originOf({ machine, addresses, port }: Listener): { readonly origin: string; readonly isHere: boolean }[] {
  const isHere = machine === hostname();
  const reachable = addresses.filter((address) => isHere || !isLoopback(address));
  const address = reachable.find((one) => isLoopback(one) && !one.includes(':')) ?? reachable[0];
  if (address === undefined) return [];
  return [{ origin: `http://${address.includes(':') ? `[${address}]` : address}:${port}`, isHere }];
}
