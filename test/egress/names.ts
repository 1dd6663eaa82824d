// The names that the name server of the test knows.
import { canaryAddresses, labelOf } from './canaries.ts';
import type { Zone } from './dns-server.ts';

/** Public by its number, and within the namespace an address of the loopback interface. */
export const publicAddress = '93.184.216.34';
/** Leads nowhere within the namespace. */
export const publicAddress6 = '2606:2800:220:1::34';

/** In what ways a name leads to a canary. */
export const nameKinds = ['plain', 'alias', 'mixed', 'mixed-first', 'mapped', 'nat64'] as const;

const addressOf: ReadonlyMap<string, string> = new Map(canaryAddresses.map((address) => [labelOf(address), address]));

/**
 * `KIND.LABEL.canary.test` leads to a canary, `rebind-N.test` now to the public site and now to a canary, inner names to
 * canaries, and all else under `.test` to the public site.
 */
export function createZones(): (name: string, type: 'A' | 'AAAA') => Zone {
  const turns = new Map<string, number>();
  return (name, type) => {
    const [, kind = '', label = ''] = /^([a-z0-9-]+)\.([0-9a-f-]+)\.canary\.test$/.exec(name) ?? [];
    const canary = addressOf.get(label);
    if (canary !== undefined) return canaryZone(kind, canary);
    const inner = innerNames[name];
    if (inner !== undefined) return { addresses: [inner] };
    const rebinding = /^rebind-(\d+)\.test$/.exec(name);
    if (rebinding) {
      const number = Number(rebinding[1]);
      const turn = turns.get(name) ?? number % 2;
      if (type === 'A') turns.set(name, turn + 1);
      const inside = canaryAddresses[number % canaryAddresses.length] ?? '';
      const isIpv4 = inside.includes('.');
      return { addresses: [turn % 2 === 0 ? publicAddress : isIpv4 ? inside : '127.0.0.1'] };
    }
    return { addresses: name.endsWith('.test') ? [publicAddress] : undefined };
  };
}

/** Names that only an inner network has. */
export const innerNames: Readonly<Record<string, string>> = {
  'inner.pub.test': '10.0.0.9',
  'wiki.internal': '10.0.0.9',
  'printer.local': '192.168.0.9',
  'metadata.google.internal': '169.254.169.254',
};

function canaryZone(kind: string, canary: string): Zone {
  switch (kind) {
    case 'alias':
      return { addresses: [canary], aliases: ['alias.test', 'inside.test'] };
    case 'mixed':
      return { addresses: [publicAddress, publicAddress6, canary] };
    case 'mixed-first':
      return { addresses: [canary, publicAddress, publicAddress6] };
    case 'mapped':
      return { addresses: [canary.includes(':') ? canary : `::ffff:${canary}`] };
    case 'nat64':
      return { addresses: [canary.includes(':') ? canary : `64:ff9b::${hexOf(canary)}`] };
    default:
      return { addresses: [canary] };
  }
}

function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
