import { describe, expect, test } from 'vitest';
import { secretsOfChange, withoutSecrets } from './secrets-of-change.ts';

const stored = { headers: { authorization: 's3cret' }, cookies: { sid: 'v4lue' } };
const all = { headers: ['authorization'], cookies: ['sid'] };
const none = { headers: [], cookies: [] };
const before = { urls: ['https://a.test/docs', 'https://b.test/'] };

describe('secretsOfChange', () => {
  test.each([
    ['the same URLs', before],
    ['other paths and options of the same hosts', { urls: ['https://b.test/x', 'https://a.test/y?z'], page_limit: 3 }],
    ['the default port, another case, no scheme', { urls: ['HTTPS://A.test:443/', 'b.test'] }],
    ['no proxy, spelt out', { ...before, proxy: null }],
    ['no proxy, in the words of another client', { ...before, advanced_proxy: '' }],
    ['certificates that are checked, spelt out', { ...before, insecure_tls: false }],
  ])('secretsOfChange: keeps all for %s', (_, after) => {
    expect(secretsOfChange(before, after, stored)).toEqual({ secrets: stored, dropped: none });
  });

  test.each([
    ['another host', { urls: ['https://evil.test/'] }],
    ['one more host', { urls: [...before.urls, 'https://evil.test/'] }],
    ['one host less', { urls: ['https://a.test/'] }],
    ['a subdomain', { urls: ['https://www.a.test/', 'https://b.test/'] }],
    ['another scheme', { urls: ['http://a.test/', 'https://b.test/'] }],
    ['another port', { urls: ['https://a.test:8443/', 'https://b.test/'] }],
    ['a user in the URL that looks like the host', { urls: ['https://a.test@evil.test/', 'https://b.test/'] }],
    ['a proxy', { ...before, proxy: 'evil' }],
    ['the proxy for difficult sites', { ...before, advanced_proxy: true }],
    ['certificates that nobody checks', { ...before, insecure_tls: true }],
    ['no URLs', {}],
    ['URLs that are none', { urls: 'https://a.test/' }],
  ])('secretsOfChange: drops all for %s', (_, after) => {
    expect(secretsOfChange(before, after, stored)).toEqual({ secrets: { headers: {}, cookies: {} }, dropped: all });
  });

  test('secretsOfChange: keeps all for the same proxy in other words', () => {
    const after = { ...before, proxy: 'advanced_proxy' };
    expect(secretsOfChange({ ...before, advanced_proxy: true }, after, stored)).toEqual({
      secrets: stored,
      dropped: none,
    });
  });

  test('secretsOfChange: what is given replaces what is stored, wherever it goes', () => {
    const urls = ['https://other.test/'];
    expect(secretsOfChange(before, { urls, headers: { a: '1' }, cookies: null }, stored)).toEqual({
      secrets: { headers: { a: '1' }, cookies: {} },
      dropped: none,
    });
    expect(secretsOfChange(before, { urls, headers: { a: '1' } }, stored)).toEqual({
      secrets: { headers: { a: '1' }, cookies: {} },
      dropped: { headers: [], cookies: ['sid'] },
    });
    expect(secretsOfChange(before, { ...before, cookies: {} }, stored)).toEqual({
      secrets: { headers: stored.headers, cookies: {} },
      dropped: none,
    });
  });
});

test('withoutSecrets: leaves out values and keeps everything else', () => {
  expect(withoutSecrets({ urls: ['a'], headers: { a: '1' }, cookies: null, page_limit: 1 })).toEqual({
    urls: ['a'],
    page_limit: 1,
  });
});
