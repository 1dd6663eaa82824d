import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { aliasedIpv4, embeddedIpv4 } from './embedded-ipv4.ts';

/** Says which IP addresses may be connected to. */
export interface AddressPolicy {
  /** Whether the address is public, or private and reopened. False for anything that is not an IP address. */
  allows(address: string): boolean;
  /** Whether the address is in a network that the operator reopened. */
  isPrivateAllowed(address: string): boolean;
}

/** A network of either family. */
export interface Cidr {
  readonly network: ipaddr.IPv4 | ipaddr.IPv6;
  /** 0 to 32 for IPv4, 0 to 128 for IPv6. */
  readonly prefixBits: number;
}

/**
 * An allow-list: of IPv4 what is no special block (IANA's registry, RFC 6890), of IPv6 what is in 2000::/3 and no special
 * block. `allowPrivate` reopens networks, but never the addresses where clouds hand out credentials.
 */
export function createAddressPolicy(options: { readonly allowPrivate: readonly Cidr[] }): AddressPolicy {
  const { allowPrivate } = options;

  function isPrivateAllowed(text: string): boolean {
    const address = parseAddress(text);
    return address !== undefined && !isMetadata(address) && isInside(address, allowPrivate);
  }

  function allows(text: string): boolean {
    const address = parseAddress(text);
    if (address === undefined || isMetadata(address)) {
      return false;
    }
    return isPublic(address) || isInside(address, allowPrivate);
  }

  return { allows, isPrivateAllowed };
}

/**
 * Reads a comma-separated list like `10.0.0.0/8, fd00::/8`; an address alone is a network of one.
 * Throws an Error whose message names the entry that is none.
 */
export function parseCidrs(text: string): Cidr[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseCidr);
}

/**
 * The address as one to judge; undefined if it is none. An IPv6 address that is only another spelling of an IPv4 address
 * becomes that one. No other spelling passes: `127.1` and `0177.0.0.1` are not addresses here, since URLs and the
 * resolver never hand them out.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const withoutZone = text.split('%', 1)[0] ?? '';
  if (isIP(withoutZone) === 0) {
    return undefined;
  }
  const address = parseLiteral(withoutZone);
  return address instanceof ipaddr.IPv6 ? (aliasedIpv4(address) ?? address) : address;
}

const globalUnicast = ipaddr.IPv6.parse('2000::');
/** The whole of what the IETF set aside, 6to4 and the newer block for documentation (RFC 9637), which ipaddr.js 2.5 lacks. */
const extraDenied = parseCidrs('2001::/23, 2002::/16, 3fff::/20');
const metadataAddresses = parseCidrs(
  [
    '169.254.169.254', // AWS, Azure, Google, DigitalOcean, OpenStack and most others
    '169.254.170.2', // AWS, credentials of containers
    '169.254.170.23', // AWS, credentials of Kubernetes pods
    '169.254.42.42', // Scaleway
    '169.254.0.23', // Tencent
    '168.63.129.16', // Azure, a public address by its number
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

function isInside(address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Cidr[]): boolean {
  return networks.some(
    ({ network, prefixBits }) => network.kind() === address.kind() && address.match(network, prefixBits),
  );
}

/** ipaddr.js 2.5 takes `::127.0.0.1` for `::ffff:127.0.0.1`, so a dotted end is written in hexadecimal first. */
function parseLiteral(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const dottedFrom = text.lastIndexOf(':') + 1;
  if (dottedFrom === 0 || !text.includes('.')) {
    return ipaddr.parse(text);
  }
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(text.slice(dottedFrom)).octets;
  return ipaddr.IPv6.parse(`${text.slice(0, dottedFrom)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`);
}

function parseCidr(entry: string): Cidr {
  const [addressText = '', prefixText, ...rest] = entry.split('/');
  const family = isIP(addressText);
  const addressBits = family === 4 ? 32 : 128;
  const prefixBits = prefixText === undefined ? addressBits : Number(prefixText);
  const isPrefix = prefixText === undefined || (/^\d{1,3}$/u.test(prefixText) && prefixBits <= addressBits);
  if (family === 0 || !isPrefix || rest.length > 0) {
    throw new Error(`"${entry}" is not a network; write it like 10.0.0.0/8 or fd00::/8.`);
  }
  const network = parseLiteral(addressText);
  if (network instanceof ipaddr.IPv6 && aliasedIpv4(network) !== undefined) {
    throw new Error(`"${entry}" is an IPv4 network written as IPv6; write it like 10.0.0.0/8.`);
  }
  return { network, prefixBits };
}
