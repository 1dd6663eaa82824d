import { expect, test } from 'vitest';
import { hostKey, urlOfHost } from './host-key.ts';

test.each([
  ['https://example.com/', 'example.com:443'],
  ['http://example.com/', 'example.com:80'],
  ['http://example.com:443/', 'http://example.com:443'],
  ['https://example.com:80/', 'https://example.com:80'],
  ['https://example.com:8443/a', 'https://example.com:8443'],
  ['http://example.com:8443/a', 'example.com:8443'],
  ['https://EXAMPLE.com./', 'example.com:443'],
  ['https://www.example.com/', 'www.example.com:443'],
  ['http://[::1]/', '[::1]:80'],
  ['http://[2001:db8::1]:8080/', '[2001:db8::1]:8080'],
  ['http://0x7f.1/', '127.0.0.1:80'],
  ['https://bücher.example/', 'xn--bcher-kva.example:443'],
])('hostKey: of %s is %s', (url, key) => {
  expect(hostKey(new URL(url))).toBe(key);
});

test.each(['https://a.test/', 'http://a.test/', 'http://a.test:443/', 'https://a.test:80/', 'https://[::1]:3000/'])(
  'urlOfHost: has the name, the port and the scheme of %s',
  (url) => {
    expect(urlOfHost(hostKey(new URL(url))).href).toBe(url);
  },
);
