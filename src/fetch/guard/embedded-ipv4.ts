import ipaddr from 'ipaddr.js';

/**
 * Returns the IPv4 addresses embedded in an IPv6 address, in every known form. A gateway, a tunnel or the operating
 * system can connect to them, so a rule about IPv4 must see them.
 */
export function embeddedIpv4(address: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  return forms.filter((form) => address.match(form.network, form.prefixBits)).flatMap((form) => form.read(address));
}

/**
 * Returns the IPv4 address that a connection to this IPv6 address really reaches, if that is certain: for the v4-mapped
 * form (the operating system connects by IPv4) and the well-known prefix of NAT64 (RFC 6052, 2.1), which DNS64 returns.
 */
export function aliasedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const isAlias = address.match(mapped, 96) || address.match(nat64, 96);
  return isAlias ? ipv4At(address, 12) : undefined;
}

interface Form {
  readonly network: ipaddr.IPv6;
  readonly prefixBits: number;
  readonly read: (address: ipaddr.IPv6) => readonly ipaddr.IPv4[];
}

const mapped = ipaddr.IPv6.parse('::ffff:0:0');
const nat64 = ipaddr.IPv6.parse('64:ff9b::');

const forms: readonly Form[] = [
  // v4-mapped (RFC 4291, 2.5.5.2)
  { network: mapped, prefixBits: 96, read: lastIpv4 },
  // v4-compatible (RFC 4291, 2.5.5.1); includes :: and ::1, as 0.0.0.0 and 0.0.0.1
  { network: ipaddr.IPv6.parse('::'), prefixBits: 96, read: lastIpv4 },
  // v4-translated (RFC 2765)
  { network: ipaddr.IPv6.parse('::ffff:0:0:0'), prefixBits: 96, read: lastIpv4 },
  // NAT64 (RFC 6052)
  { network: nat64, prefixBits: 96, read: lastIpv4 },
  // local NAT64 (RFC 8215): the position of the IPv4 address depends on the prefix length its operator chose (RFC 6052,
  // 2.2)
  {
    network: ipaddr.IPv6.parse('64:ff9b:1::'),
    prefixBits: 48,
    read: (address) => [
      ipv4Of(address, [6, 7, 9, 10]),
      ipv4Of(address, [7, 9, 10, 11]),
      ipv4At(address, 9),
      ipv4At(address, 12),
    ],
  },
  // 6to4 (RFC 3056)
  { network: ipaddr.IPv6.parse('2002::'), prefixBits: 16, read: (address) => [ipv4At(address, 2)] },
  // Teredo (RFC 4380, 4): the server, and the client with its bits inverted
  {
    network: ipaddr.IPv6.parse('2001::'),
    prefixBits: 32,
    read: (address) => [
      ipv4At(address, 4),
      new ipaddr.IPv4(
        address
          .toByteArray()
          .slice(12)
          .map((byte) => byte ^ 0xff),
      ),
    ],
  },
];

function lastIpv4(address: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  return [ipv4At(address, 12)];
}

function ipv4At(address: ipaddr.IPv6, offset: number): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(offset, offset + 4));
}

function ipv4Of(address: ipaddr.IPv6, offsets: readonly number[]): ipaddr.IPv4 {
  const bytes = address.toByteArray();
  return new ipaddr.IPv4(offsets.map((offset) => bytes[offset] ?? 0));
}
