import { networkInterfaces } from 'node:os';
import { parseAddress, type AddressPolicy } from './address-policy.ts';

/** Says which addresses may be connected to on which ports. */
export interface DestinationRule {
  allows(address: string, port: number): boolean;
  /** Whether the port may be reached on public addresses. */
  isPublicPort(port: number): boolean;
  /** The port this service listens on itself; known only once it does. */
  setOwnPort(port: number): void;
}

export interface DestinationRuleOptions {
  readonly addresses: AddressPolicy;
  /** Ports to reach besides 80, 443 and 8000 to 8999. */
  readonly allowPorts: readonly number[];
}

/**
 * Few ports on public addresses, so that a crawl cannot be made to speak to mail servers and databases; any port in a
 * network that the operator reopened; this service itself never.
 */
export function createDestinationRule({ addresses, allowPorts }: DestinationRuleOptions): DestinationRule {
  const extraPorts = new Set(allowPorts);
  let ownPort: number | undefined;

  const isPublicPort = (port: number): boolean =>
    port === 80 || port === 443 || (port >= 8000 && port <= 8999) || extraPorts.has(port);

  return {
    isPublicPort,
    allows(address, port) {
      if (!addresses.allows(address) || (port === ownPort && isOfThisMachine(address))) {
        return false;
      }
      return isPublicPort(port) || addresses.isPrivateAllowed(address);
    },
    setOwnPort(port) {
      ownPort = port;
    },
  };
}

/** Asked only for the one port, so the interfaces are read anew each time: a laptop changes its address. */
function isOfThisMachine(text: string): boolean {
  const address = parseAddress(text);
  const range = address?.range();
  if (address === undefined || range === 'loopback' || range === 'unspecified') {
    return true;
  }
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((info) => parseAddress(info.address)?.toString() === address.toString());
}
