import { describe, expect, test } from 'vitest';
import { settings } from './config.ts';
import { readConfig } from './read-config.ts';

const table = settings({ checkCidrs: () => {} });

describe('the proxy', () => {
  test('is none unless the operator names one, and never that of HTTP_PROXY', () => {
    expect(proxyOf({ HTTP_PROXY: 'http://10.0.0.1:1', http_proxy: 'http://10.0.0.1:1' })).toBeUndefined();
    expect(proxyOf({ HAYRAKE_PROXY: '' })).toBeUndefined();
  });

  test.each([
    ['http://proxy.example:3128', 'http://proxy.example:3128/'],
    [' http://10.0.0.1:3128/ ', 'http://10.0.0.1:3128/'],
    ['http://[::1]:3128', 'http://[::1]:3128/'],
    ['http://user:p%40ss@proxy.example', 'http://user:p%40ss@proxy.example/'],
  ])('may be %s', (text, href) => {
    expect(proxyOf({ HAYRAKE_PROXY: text })).toBe(href);
  });

  test.each([
    'https://u:hunter2@proxy.example:3128',
    'socks5://u:hunter2@proxy.example:1080',
    'u:hunter2@proxy.example:3128',
    'proxy.example:3128',
    'hunter2',
    'http://u:hunter2@proxy.example:3128/path',
    'http://u:hunter2@proxy.example:3128/?a',
    'http://u:hunter2@proxy.example:3128/#a',
    'http://u:hunter2%@proxy.example:3128',
    'http://u:hunter2@proxy.example:99999',
  ])('cannot be %s, and what was written is not repeated', (text) => {
    expect(() => proxyOf({ HAYRAKE_PROXY: text })).toThrow(/^HAYRAKE_PROXY cannot be used: write the URL of an HTTP/);
    expect(() => proxyOf({ HAYRAKE_PROXY: text })).not.toThrow('hunter2');
  });

  test('has no flag, which would show its password to everyone on the machine', () => {
    expect(table.proxy.flag).toBeUndefined();
    expect(table.proxy.secret).toBe(true);
  });
});

function proxyOf(env: Readonly<Record<string, string>>): string | undefined {
  return readConfig(table, { flags: { proxy: 'http://flag.example' }, env }).config.proxy?.href;
}
