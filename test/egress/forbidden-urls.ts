// What a client may write as a start URL and must not get: by the answer that is due.

const hosts = [
  // 127.0.0.1
  ...'127.0.0.1 127.1 127.0.1 2130706433 0x7f.1 0x7f000001 0x7F.0.0.0x1 017700000001 0177.0.0.1 0177.1'.split(' '),
  ...'１２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 %31%32%37.0.0.1 127.0.0.1. 127.8.8.8'.split(' '),
  ...'localhost LOCALHOST localhost. x.localhost x.localhost. %6cocalhost'.split(' '),
  // IPv6, and IPv4 within it
  ...'[::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::7f00:1] [::127.0.0.1]'.split(' '),
  ...'[::ffff:a9fe:a9fe] [64:ff9b::a9fe:a9fe] [64:ff9b::10.0.0.9] [64:ff9b:1::7f00:1] [2002:7f00:1::]'.split(' '),
  ...'[2001::1] [fec0::1] [fe80::1] [ff02::1] [100::1] [5f00::1] [fd00:ec2::254] [fd00::1]'.split(' '),
  // special blocks
  ...'0 0.0.0.0 255.255.255.255 224.0.0.1 240.0.0.1 198.18.0.1 192.0.2.1 100.64.0.1 192.0.0.192'.split(' '),
  ...'172.16.0.1 172.31.255.255 172.16.0.9 172.31.255.9 10.0.0.9 10.9 192.168.0.9 192.168.9 0xc0a80009'.split(' '),
  // metadata, and names that only an inner network has
  ...'169.254.169.254 2852039166 100.100.100.200 168.63.129.16 metadata metadata.google.internal'.split(' '),
  ...'wiki.internal printer.local a.svc.cluster.local METADATA.google.internal.'.split(' '),
];

/** `destination_not_allowed`, with one and the same body. */
export const forbiddenDestinations: readonly string[] = [
  ...hosts.map((host) => `http://${host}/`),
  ...[22, 25, 6379, 9222, 5432, 0].map((port) => `http://pub.test:${port}/`),
  'https://127.0.0.1/',
  'http://127.0.0.1:8000/',
  'http://10.0.0.9:8001/',
  'HTTP://10.0.0.9/',
  'http://10.0.0.9#@pub.test/',
  'http://10.0.0.9/?@pub.test/',
];

/** `invalid_body`: read as one thing by one parser and as another by the next, or no web address at all. */
export const invalidUrls: readonly string[] = [
  'http://10.0.0.9\\@pub.test/',
  'http://pub.test\\@10.0.0.9/',
  'http://pub.test@10.0.0.9/',
  'http://user:pw@pub.test/',
  'http:\\\\10.0.0.9',
  'http:/\\10.0.0.9/',
  'http:///10.0.0.9/',
  'http:10.0.0.9/',
  '//10.0.0.9/',
  'http://10.0.\t0.9/',
  'http://10.0.\n0.9/',
  'http://10.0.0.9 /',
  'ht\ntp://10.0.0.9/',
  'http://pub.test\0.10.0.0.9/',
  'http://pub.test%00.test/',
  'http://pub.test%0d%0aX:1/',
  'http://10.0.0.9%2f@pub.test/',
  'http://[fe80::1%25eth0]/',
  'http://[::1/',
  'http://256.0.0.1/',
  'http://pub.test:65536/',
  'http://pub.test:-1/',
  'http://',
  'http://#',
  '',
  ...'file:///etc/passwd ftp://10.0.0.9/ gopher://10.0.0.9/ dict://10.0.0.9/ ldap://10.0.0.9/ data:text/html,x'.split(
    ' ',
  ),
  ...'javascript:1 blob:http://pub.test/x view-source:http://pub.test/ chrome://settings about:blank'.split(' '),
  ...'ws://pub.test/ jar:http://pub.test/!/ file:/etc/passwd source:file:///'.split(' '),
  ' FILE:///etc/passwd',
];
