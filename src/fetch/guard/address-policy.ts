import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { aliasedIpv4, embeddedIpv4 } from './embedded-ipv4.ts';

/** Decides which IP addresses may be connected to. Returns false for anything that is not an IP address. */
export interface AddressPolicy {
  /** Returns true if the address is public. An alias of an IPv4 address counts as that address. */
  isPublic(address: string): boolean;
  /**
   * Returns true if the address is inside the network. Always false for an alias, and for an address where a cloud
   * serves credentials.
   */
  isInside(address: string, network: Cidr): boolean;
}

/** A network of either family. */
export interface Cidr {
  readonly network: ipaddr.IPv4 | ipaddr.IPv6;
  /** 0 to 32 for IPv4, 0 to 128 for IPv6. */
  readonly prefixBits: number;
}

/** A private network that the operator opened, with all its entries in the setting merged. */
export interface PrivateNetwork extends Cidr {
  /** The network in canonical form, such as `10.0.0.0/8`. */
  readonly name: string;
  /** The ports that may be connected to. Undefined means every port. */
  readonly ports: ReadonlySet<number> | undefined;
}

/**
 * Public addresses are an allow-list: IPv4 outside the special blocks (IANA's registry, RFC 6890), and IPv6 inside
 * 2000::/3 and outside the special blocks.
 */
export const addressPolicy: AddressPolicy = {
  isPublic(text) {
    const address = parseAddress(text);
    return address !== undefined && !isMetadata(address) && isPublic(address);
  },
  isInside(text, network) {
    const address = parseLiteralAddress(text);
    return address !== undefined && !isAlias(address) && !isMetadata(address) && isInside(address, [network]);
  },
};

/**
 * Reads a comma-separated list of networks with or without a port: `10.0.0.0/8`, `127.0.0.1:8080`, `[fd00::/8]:80`. A
 * single address is a network of one. Entries for the same network are merged, with the ports of all. Throws an Error
 * whose message names the invalid entry.
 */
export function parsePrivateNetworks(text: string): PrivateNetwork[] {
  const networks = new Map<string, PrivateNetwork>();
  for (const entry of entriesOf(text)) {
    const { cidr, port } = parseEntry(entry);
    const name = nameOf(cidr);
    const known = networks.get(name);
    const isEveryPort = port === undefined || (known !== undefined && known.ports === undefined);
    const ports = isEveryPort ? undefined : new Set([...(known?.ports ?? []), port]);
    networks.set(name, { ...cidr, name, ports });
  }
  return [...networks.values()];
}

/**
 * Reads a comma-separated list like `10.0.0.0/8, fd00::/8`; a single address is a network of one. Throws an Error whose
 * message names the invalid entry.
 */
export function parseCidrs(text: string): Cidr[] {
  return entriesOf(text).map((entry) => parseCidr(entry));
}

function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/**
 * Parses an address to judge; undefined if the text is none. An IPv6 address that is only another spelling of an IPv4
 * address becomes that IPv4 address. No other spelling passes: `127.1` and `0177.0.0.1` are not addresses here, because
 * URLs and the resolver never produce them.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = parseLiteralAddress(text);
  return address instanceof ipaddr.IPv6 ? (aliasedIpv4(address) ?? address) : address;
}

/** Like {@link parseAddress}, but keeps an alias. */
function parseLiteralAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const withoutZone = text.split('%', 1)[0] ?? '';
  return isIP(withoutZone) === 0 ? undefined : parseLiteral(withoutZone);
}

const globalUnicast = ipaddr.IPv6.parse('2000::');
/** The complete IETF reservation, 6to4 and the newer documentation block (RFC 9637), which ipaddr.js 2.5 lacks. */
const extraDenied = parseCidrs('2001::/23, 2002::/16, 3fff::/20');
const metadataAddresses = parseCidrs(
  [
    '169.254.169.254', // AWS, Azure, Google, DigitalOcean, OpenStack and most others
    '169.254.170.2', // AWS, credentials of containers
    '169.254.170.23', // AWS, credentials of Kubernetes pods
    '169.254.42.42', // Scaleway
    '169.254.0.23', // Tencent
    '168.63.129.16', // Azure; numerically a public address
    '100.100.100.200', // Alibaba
    '192.0.0.192', // Oracle
    'fd00:ec2::254', // AWS
    'fd00:ec2::23', // AWS, credentials of Kubernetes pods
    'fd00:42::42', // Scaleway
    'fd20:ce::254', // Google
    'fe80::a9fe:a9fe', // OpenStack
  ].join(','),
);

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || isInside(address, extraDenied)) {
    return false;
  }
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast, 3);
}

function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (isInside(address, metadataAddresses)) {
    return true;
  }
  return address instanceof ipaddr.IPv6 && embeddedIpv4(address).some((inner) => isInside(inner, metadataAddresses));
}

/**
 * Returns true if an IPv6 address stands for an IPv4 address in any form. A rule for IPv6 must not open IPv4, nor vice
 * versa. `::1` has such a form, but is the loopback address.
 */
function isAlias(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.range() !== 'loopback' && embeddedIpv4(address).length > 0;
}

function isInside(address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Cidr[]): boolean {
  return networks.some(
    ({ network, prefixBits }) => network.kind() === address.kind() && address.match(network, prefixBits),
  );
}

/** ipaddr.js 2.5 reads `::127.0.0.1` as `::ffff:127.0.0.1`, so a dotted end is converted to hexadecimal first. */
function parseLiteral(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const dottedFrom = text.lastIndexOf(':') + 1;
  if (dottedFrom === 0 || !text.includes('.')) {
    return ipaddr.parse(text);
  }
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(text.slice(dottedFrom)).octets;
  return ipaddr.IPv6.parse(`${text.slice(0, dottedFrom)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`);
}

/** Before a port, IPv6 needs brackets: around the address or around the network. */
const bracketed = /^\[([^\]]*)\](\/\d{1,3})?(?::(\d{1,5}))?$/u;
const withPort = /^([^:]+):(\d{1,5})$/u;

function parseEntry(entry: string): { readonly cidr: Cidr; readonly port: number | undefined } {
  const [, inside, prefix = '', portOfIpv6] = bracketed.exec(entry) ?? [];
  const [, ipv4 = entry, portOfIpv4] = withPort.exec(entry) ?? [];
  const isIpv6 = inside !== undefined && inside.includes(':');
  const portText = isIpv6 ? portOfIpv6 : portOfIpv4;
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) {
    throw new Error(`"${entry}" has no port from 1 to 65535; write it like 127.0.0.1:8080.`);
  }
  return { cidr: parseCidr(isIpv6 ? inside + prefix : ipv4, entry), port };
}

function nameOf({ network, prefixBits }: Cidr): string {
  const text = `${network.toString()}/${prefixBits}`;
  const first =
    network instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text);
  return `${first.toString()}/${prefixBits}`;
}

function parseCidr(text: string, entry = text): Cidr {
  const [addressText = '', prefixText, ...rest] = text.split('/');
  const family = isIP(addressText);
  const addressBits = family === 4 ? 32 : 128;
  const prefixBits = prefixText === undefined ? addressBits : Number(prefixText);
  const isPrefix = prefixText === undefined || (/^\d{1,3}$/u.test(prefixText) && prefixBits <= addressBits);
  if (family === 0 || !isPrefix || rest.length > 0) {
    throw new Error(`"${entry}" is not a network; write it like 10.0.0.0/8, 10.0.0.0/8:80, fd00::/8 or [fd00::/8]:80.`);
  }
  const network = parseLiteral(addressText);
  if (network instanceof ipaddr.IPv6 && aliasedIpv4(network) !== undefined) {
    throw new Error(`"${entry}" is an IPv4 network written as IPv6; write it like 10.0.0.0/8.`);
  }
  return { network, prefixBits };
}
