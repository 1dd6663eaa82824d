import { describe, expect, test } from 'vitest';
import { cleanLink } from './clean-link.ts';

describe('cleanLink', () => {
  test.each([
    ['does not change a link without tracking', 'https://a.example/b?c=1&d#e', 'https://a.example/b?c=1&d#e'],
    ['removes campaign parameters', 'https://a.example/b?utm_source=x&c=1&utm_medium=y#e', 'https://a.example/b?c=1#e'],
    ['removes click ids', 'https://a.example/?gclid=1&fbclid=2&srsltid=3', 'https://a.example/'],
    ['ignores the case of names', 'https://a.example/?UTM_Source=1&b', 'https://a.example/?b'],
    [
      'keeps names that only begin like a tracking parameter',
      'https://a.example/?gclids=1&utm=2',
      'https://a.example/?gclids=1&utm=2',
    ],
    ['keeps the fragment', 'https://a.example/#?utm_source=x', 'https://a.example/#?utm_source=x'],
    ['keeps the rest byte for byte', 'https://a.example/?a=%e4+&&b=&utm_id=1', 'https://a.example/?a=%e4+&&b='],
    [
      'keeps sessions',
      'https://a.example/?sid=0123456789abcdef0123456789abcdef',
      'https://a.example/?sid=0123456789abcdef0123456789abcdef',
    ],
    [
      'unwraps an Outlook link',
      'https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.example%2Fb%3Fc%3D1%26utm_source%3Dx&data=05%7C01&reserved=0',
      'https://a.example/b?c=1',
    ],
    ['unwraps a Google link', 'https://www.google.com/url?sa=t&url=https://a.example/b&ved=1', 'https://a.example/b'],
    [
      'unwraps a Facebook link',
      'https://l.facebook.com/l.php?u=https%3A%2F%2Fa.example%2F%3Ffbclid%3D1&h=AT',
      'https://a.example/',
    ],
    [
      'unwraps a Proofpoint link',
      'https://urldefense.com/v3/__https:/a.example/b?c=1__;!!x$',
      'https://a.example/b?c=1',
    ],
    [
      'unwraps a wrapper in a wrapper',
      `https://l.facebook.com/l.php?u=${encodeURIComponent('https://www.google.com/url?q=https://a.example/')}`,
      'https://a.example/',
    ],
    ['keeps a wrapper without a target', 'https://www.google.com/url?sa=t', 'https://www.google.com/url?sa=t'],
    [
      'keeps a wrapper of a javascript: target',
      'https://l.facebook.com/l.php?u=javascript:x()',
      'https://l.facebook.com/l.php?u=javascript:x()',
    ],
    [
      'keeps a link of another host with such a path',
      'https://a.example/l.php?u=https://b.example/',
      'https://a.example/l.php?u=https://b.example/',
    ],
    ['keeps a mail link', 'mailto:a@b.example?subject=c', 'mailto:a@b.example?subject=c'],
  ])('cleanLink: %s', (_, href, clean) => {
    expect(cleanLink(href)).toBe(clean);
    expect(cleanLink(clean)).toBe(clean);
  });
});
