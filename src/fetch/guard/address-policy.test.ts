import { describe, expect, test } from 'vitest';
import { addressPolicy, parseCidrs, parsePrivateNetworks } from './address-policy.ts';

/** First and last address of each special block, and the public neighbours of the block, where there are any. */
const blocks: readonly (readonly [
  first: string,
  last: string,
  before: string | undefined,
  after: string | undefined,
])[] = [
  ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255', undefined],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2000::'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::', undefined],
];

const refused = [
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '169.254.169.254',
  '::',
  '::1',
  '::ffff:7f00:1',
  '::7f00:1',
  '::ffff:0:7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '64:ff9b:1::5db8:d822',
  '2002:7f00:1::',
  '2002:5db8:d822::',
  '2001::1',
  'fec0::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '100::1',
  '5f00::1',
  'fd00:ec2::254',
  'fd00::1',
  '::ffff:10.0.0.1',
  '::ffff:168.63.129.16',
  '::93.184.216.34',
] as const;

const noAddresses = [
  '',
  '127.1',
  '0177.0.0.1',
  '2130706433',
  '0x7f.1',
  'localhost',
  '1.2.3.4.',
  '[::1]',
  '1.2.3.4/8',
  ' 8.8.8.8',
];

describe('addressPolicy.isPublic', () => {
  test.each(blocks)(
    'addressPolicy.isPublic: refuses %s to %s and allows their public neighbours',
    (first, last, before, after) => {
      expect([first, last].map((address) => addressPolicy.isPublic(address))).toEqual([false, false]);
      const neighbours = [before, after].flatMap((address) => address ?? []);
      expect(neighbours.filter((address) => !addressPolicy.isPublic(address))).toEqual([]);
    },
  );

  test.each(refused)('addressPolicy.isPublic: refuses %s', (address) => {
    expect(addressPolicy.isPublic(address)).toBe(false);
  });

  test.each(noAddresses)('addressPolicy.isPublic: refuses "%s", which is not an address', (text) => {
    expect(addressPolicy.isPublic(text)).toBe(false);
  });

  test.each(['8.8.8.8', '93.184.216.34', '2606:2800:220:1::1', '::ffff:93.184.216.34', '64:ff9b::5db8:d822'])(
    'addressPolicy.isPublic: allows %s',
    (address) => {
      expect(addressPolicy.isPublic(address)).toBe(true);
    },
  );
});

describe('addressPolicy.isInside', () => {
  const [everyIpv4, everyIpv6, loopback] = parseCidrs('0.0.0.0/0, ::/0, 127.0.0.0/8');

  test('addressPolicy.isInside: returns true for addresses of the network, and for no others', () => {
    expect(['127.0.0.1', '127.9.9.9'].every((address) => addressPolicy.isInside(address, loopback!))).toBe(true);
    expect(['::1', '10.0.0.1', '0.0.0.0', '', 'localhost'].some((a) => addressPolicy.isInside(a, loopback!))).toBe(
      false,
    );
    expect(addressPolicy.isInside('::1', everyIpv6!)).toBe(true);
    expect(addressPolicy.isInside('fd00::1', everyIpv6!)).toBe(true);
  });

  test.each([
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::1',
  ])('addressPolicy.isInside: returns false for %s, an alias of an address of the network', (address) => {
    for (const network of [everyIpv4, everyIpv6, loopback]) {
      expect(addressPolicy.isInside(address, network!)).toBe(false);
    }
  });

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '::a9fe:a9fe',
    '::ffff:0:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '64:ff9b:1:a9:fe:a9fe::',
    '64:ff9b:1:0:a9:fea9:fe00:0',
    '2002:a9fe:a9fe::',
    '2002:a83f:8110::1',
    '2001:0:a9fe:a9fe::1',
    '2001::5601:5601',
    'fe80::a9fe:a9fe%eth0',
  ])('addressPolicy: refuses the metadata address %s in every network', (address) => {
    expect([everyIpv4, everyIpv6].some((network) => addressPolicy.isInside(address, network!))).toBe(false);
    expect(addressPolicy.isPublic(address)).toBe(false);
  });
});

describe('parseCidrs', () => {
  test('parseCidrs: reads networks and single addresses of both families', () => {
    const cidrs = parseCidrs(' 10.0.0.0/8,fd00::/8 ,192.168.0.7,');
    expect(cidrs.map(({ network, prefixBits }) => `${network.toString()}/${prefixBits}`)).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
      '192.168.0.7/32',
    ]);
    expect(parseCidrs('')).toEqual([]);
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0/8',
    'fd00::/129',
    'true',
    '10.0.0.0/8/8',
    '::ffff:10.0.0.0/104',
  ])('parseCidrs: throws and names the invalid entry %s', (entry) => {
    expect(() => parseCidrs(`127.0.0.0/8,${entry}`)).toThrow(`"${entry}"`);
  });
});

describe('parsePrivateNetworks', () => {
  const read = (text: string): unknown =>
    parsePrivateNetworks(text).map(({ name, ports }) => [name, ports === undefined ? 'all' : [...ports]]);

  test.each([
    ['127.0.0.1:8080', [['127.0.0.1/32', [8080]]]],
    ['10.0.0.0/8:80', [['10.0.0.0/8', [80]]]],
    ['[::1]:8080', [['::1/128', [8080]]]],
    [
      '[fd00::/8]:80, [fd01::]/16:443',
      [
        ['fd00::/8', [80]],
        ['fd01::/16', [443]],
      ],
    ],
    ['fd00::/8', [['fd00::/8', 'all']]],
    ['[fd00::/8]', [['fd00::/8', 'all']]],
    ['', []],
  ])('parsePrivateNetworks: reads %s', (text, networks) => {
    expect(read(text)).toEqual(networks);
  });

  test('parsePrivateNetworks: joins the entries of one network in any notation', () => {
    expect(read('10.0.0.0/8:80,10.1.2.3/8:443')).toEqual([['10.0.0.0/8', [80, 443]]]);
    expect(read('10.0.0.0/8:80,10.0.0.0/8')).toEqual([['10.0.0.0/8', 'all']]);
    expect(read('10.0.0.0/8,10.0.0.0/8:80')).toEqual([['10.0.0.0/8', 'all']]);
  });

  test.each([
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.0.0.1:http',
    '127.0.0.1:',
    '127.0.0.1:80:81',
    '[127.0.0.1]:80',
    '[::1:80',
    '[::1]80',
    '[::1]:',
    '[]:80',
    'localhost:80',
  ])('parsePrivateNetworks: throws and names the invalid entry %s', (entry) => {
    expect(() => parsePrivateNetworks(`10.0.0.0/8,${entry}`)).toThrow(`"${entry}"`);
  });
});
