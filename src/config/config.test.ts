import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Config } from './config.ts';
import { settings } from './settings.ts';
import { readConfig } from './read-config.ts';

const table = settings({ checkNetworks: () => {} });

describe('HAYRAKE_PROXY', () => {
  test('HAYRAKE_PROXY: is unset by default, and HTTP_PROXY does not replace it', () => {
    expect(proxyOf({ HTTP_PROXY: 'http://10.0.0.1:1', http_proxy: 'http://10.0.0.1:1' })).toBeUndefined();
    expect(proxyOf({ HAYRAKE_PROXY: '' })).toBeUndefined();
  });

  test.each([
    ['http://proxy.example:3128', 'http://proxy.example:3128/'],
    [' http://10.0.0.1:3128/ ', 'http://10.0.0.1:3128/'],
    ['http://[::1]:3128', 'http://[::1]:3128/'],
    ['http://user:p%40ss@proxy.example', 'http://user:p%40ss@proxy.example/'],
    ['http://a.example:1, http://b.example', 'http://a.example:1/'],
  ])('HAYRAKE_PROXY: accepts %s', (text, href) => {
    expect(proxyOf({ HAYRAKE_PROXY: text })).toBe(href);
  });

  test('HAYRAKE_PROXY: takes SOCKS and names, each name once', () => {
    const read = (text: string) =>
      readConfig(table, { flags: {}, env: { HAYRAKE_PROXY: text } }).config.proxies.map(({ name, url }) => [
        name,
        url.href,
      ]);
    expect(read('http://a.example:1, eu=socks5://u:p=p@b.example')).toEqual([
      [undefined, 'http://a.example:1/'],
      ['eu', 'socks5://u:p%3Dp@b.example'],
    ]);
    expect(() => read('a=http://a.example,a=http://b.example')).toThrow('another name');
    const env = { HAYRAKE_PROXY: 'a=http://a.example', HAYRAKE_PROXY_RESOLVES: 'true' };
    expect(() => readConfig(table, { flags: {}, env })).toThrow('without a name');
  });

  test.each([
    'https://u:hunter2@proxy.example:3128',
    'socks4://u:hunter2@proxy.example:1080',
    'socks5h://u:hunter2@proxy.example:1080',
    'name with spaces=http://u:hunter2@proxy.example',
    `socks5://u:hunter2${'x'.repeat(256)}@proxy.example`,
    'http://a.example:1,http//u:hunter2@b.example',
    'u:hunter2@proxy.example:3128',
    'proxy.example:3128',
    'hunter2',
    'http://u:hunter2@proxy.example:3128/path',
    'http://u:hunter2@proxy.example:3128/?a',
    'http://u:hunter2@proxy.example:3128/#a',
    'http://u:hunter2%@proxy.example:3128',
    'http://u:hunter2@proxy.example:99999',
  ])('HAYRAKE_PROXY: rejects %s, and does not repeat it in the message', (text) => {
    expect(() => proxyOf({ HAYRAKE_PROXY: text })).toThrow(/^HAYRAKE_PROXY cannot be used: write the URL of a proxy/);
    expect(() => proxyOf({ HAYRAKE_PROXY: text })).not.toThrow('hunter2');
  });

  test('HAYRAKE_PROXY: has no flag, because a flag shows its password to every user of the machine', () => {
    expect(table.proxies.flag).toBeUndefined();
    expect(table.proxies.secret).toBe(true);
  });
});

describe('HAYRAKE_MEMORY_MB', () => {
  const read = (env: Readonly<Record<string, string>>) =>
    readConfig(table, { flags: {}, env: { HAYRAKE_BROWSER: 'off', ...env } });

  test('HAYRAKE_MEMORY_MB: decides about threads and pages, and the configuration shows them', () => {
    const { config, origins } = read({ HAYRAKE_MEMORY_MB: '256', HAYRAKE_BROWSER: 'auto' });
    expect([config.converterThreads, config.browserPages]).toEqual([1, 1]);
    expect(origins.converterThreads).toEqual({ text: '1', origin: 'default' });
  });

  test('HAYRAKE_MEMORY_MB: leaves alone what the operator has set', () => {
    const env = { HAYRAKE_MEMORY_MB: '256', HAYRAKE_CONVERTER_THREADS: '5', HAYRAKE_BROWSER_PAGES: '7' };
    expect(read(env).config).toMatchObject({ converterThreads: 5, browserPages: 7 });
  });

  test.each([
    ['255', 'write 256 or more'],
    ['0', 'whole number'],
    ['512M', 'whole number'],
    ['99999999', 'give the container or machine more'],
  ])('HAYRAKE_MEMORY_MB: refuses %s, and says what to write', (text, remedy) => {
    expect(() => read({ HAYRAKE_MEMORY_MB: text })).toThrow(remedy);
  });
});

describe('readConfig with a file', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'hayrake-config-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  const read = (content: unknown, mode: number): Config => {
    const file = path.join(dir, 'config.json');
    rmSync(file, { force: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    chmodSync(file, mode);
    return readConfig(table, { flags: {}, env: {}, file }).config;
  };
  const secret = 'a-token-of-some-32-characters-or-more';

  test('readConfig: rejects a file with a secret that every user can read', () => {
    expect(read({ token: secret }, 0o600).token).toBe(secret);
    expect(read({ token: secret }, 0o640).token).toBe(secret);
    for (const mode of [0o644, 0o604]) {
      expect(() => read({ token: secret }, mode)).toThrow(/^token is a secret, and every user .* chmod 600 /);
      expect(() => read({ proxies: 'http://proxy.example' }, mode)).toThrow(/^proxies is a secret/);
    }
  });

  test('readConfig: accepts a file without secrets that every user can read', () => {
    expect(read({ port: 1234, allowPorts: [3000, 9090] }, 0o644)).toMatchObject({
      port: 1234,
      allowPorts: [3000, 9090],
    });
  });

  test.each<[unknown, RegExp]>([
    [{ tokens: 'x' }, /^There is no setting "tokens"/],
    [{ port: 70_000 }, /^port in .* is "70000", which cannot be used/],
    [[], /must be a JSON object/],
    ['{', /cannot be read/],
  ])('readConfig: rejects the file %j, and names what is wrong', (content, message) => {
    expect(() => read(content, 0o600)).toThrow(message);
  });
});

describe('HAYRAKE_TOKEN', () => {
  test.each(['short', 'a'.repeat(40), 'abababababababababababababababababab', `${'0'.repeat(32)} `, 'x'.repeat(1_001)])(
    'HAYRAKE_TOKEN: rejects %s, and does not repeat it in the message',
    (text) => {
      const given = (): unknown => readConfig(table, { flags: {}, env: { HAYRAKE_TOKEN: text } });
      expect(given).toThrow(/^HAYRAKE_TOKEN cannot be used: a token/);
      expect(given).not.toThrow(text);
    },
  );
});

function proxyOf(env: Readonly<Record<string, string>>): string | undefined {
  return readConfig(table, { flags: { proxy: 'http://flag.example' }, env }).config.proxies[0]?.url.href;
}
