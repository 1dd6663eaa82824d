// Where processes listen, stored as settings of the database: one row per listener, valid until a time.
import type { Listener } from '../../../core/ports/stores.ts';

export const listenerPrefix = 'listener ';

interface Noted extends Listener {
  readonly until: number;
}

export function listenerName({ machine, addresses, port }: Listener): string {
  return `${listenerPrefix}${machine} ${addresses.join(',')} ${port}`;
}

export function listenerValue(listener: Listener, until: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ ...listener, until } satisfies Noted));
}

export function listenersOf(values: readonly Uint8Array[], now: number): readonly Listener[] {
  return values.map(notedIn).filter(({ until }) => until > now);
}

/** The names of listeners that were not renewed in time. */
export function expiredOf(
  rows: readonly { readonly name: string; readonly value: Uint8Array }[],
  now: number,
): string[] {
  return rows.filter(({ value }) => notedIn(value).until <= now).map(({ name }) => name);
}

function notedIn(value: Uint8Array): Noted {
  return JSON.parse(new TextDecoder().decode(value)) as Noted;
}
