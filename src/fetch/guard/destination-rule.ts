import { networkInterfaces } from 'node:os';
import { publicWeb } from '../../core/ports/fetcher.ts';
import { addressPolicy, parseAddress, type PrivateNetwork } from './address-policy.ts';

/** Decides which addresses may be connected to on which ports. */
export interface DestinationRule {
  allows(address: string, port: number): boolean;
}

/** A rule for the public web, and one for each private network. */
export interface DestinationRules {
  /** Returns the rule for one network by its name, including {@link publicWeb}. An unknown name allows nothing. */
  of(network: string): DestinationRule;
  /** Names of the private networks. */
  readonly names: readonly string[];
  /** Returns true if the port is allowed on public addresses. */
  isPublicPort(port: number): boolean;
  /** Sets the port that this service listens on, known only once it listens. */
  setOwnPort(port: number): void;
  /** Sets the listeners of all processes of this service, replacing the previous ones. */
  setListeners(listeners: readonly { readonly address: string; readonly port: number }[]): void;
}

export interface DestinationRulesOptions {
  readonly networks: readonly PrivateNetwork[];
  /** Ports allowed on public addresses besides 80, 443 and 8000 to 8999. */
  readonly allowPorts: readonly number[];
}

/**
 * Allows few ports on public addresses, so that nobody can make a crawl connect to mail servers and databases. In a
 * private network it allows the ports that the operator named. It never allows this service itself.
 */
export function createDestinationRules({ networks, allowPorts }: DestinationRulesOptions): DestinationRules {
  const extraPorts = new Set(allowPorts);
  let ownPort: number | undefined;
  let listeners: ReadonlyMap<number, ReadonlySet<string>> = new Map();

  const isPublicPort = (port: number): boolean =>
    port === 80 || port === 443 || (port >= 8000 && port <= 8999) || extraPorts.has(port);
  const isOwn = (address: string, port: number): boolean =>
    (port === ownPort && isOfThisMachine(address)) || listeners.get(port)?.has(normalOf(address)) === true;

  const rules = new Map<string, DestinationRule>([
    [
      publicWeb,
      { allows: (address, port) => isPublicPort(port) && addressPolicy.isPublic(address) && !isOwn(address, port) },
    ],
    ...networks.map((network): [string, DestinationRule] => [
      network.name,
      {
        allows: (address, port) =>
          (network.ports === undefined || network.ports.has(port)) &&
          addressPolicy.isInside(address, network) &&
          !isOwn(address, port),
      },
    ]),
  ]);

  return {
    isPublicPort,
    names: networks.map(({ name }) => name),
    of: (network) => rules.get(network) ?? nothing,
    setOwnPort(port) {
      ownPort = port;
    },
    setListeners(all) {
      const ports = new Set(all.map(({ port }) => port));
      const addressesOf = (own: number): Set<string> =>
        new Set(all.filter(({ port }) => port === own).map(({ address }) => normalOf(address)));
      listeners = new Map([...ports].map((port) => [port, addressesOf(port)]));
    },
  };
}

/** An address can have several spellings. */
function normalOf(address: string): string {
  return parseAddress(address)?.toString() ?? address;
}

const nothing: DestinationRule = { allows: () => false };

/** Called only for our own port, so it reads the interfaces each time: a laptop changes its address. */
function isOfThisMachine(text: string): boolean {
  const address = parseAddress(text);
  const range = address?.range();
  if (address === undefined || range === 'loopback' || range === 'unspecified') {
    return true;
  }
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((info) => parseAddress(info.address)?.toString() === address.toString());
}
