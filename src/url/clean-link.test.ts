import { describe, expect, test } from 'vitest';
import { cleanLink } from './clean-link.ts';

describe('a link as a reader needs it', () => {
  test.each([
    ['nothing to remove', 'https://a.example/b?c=1&d#e', 'https://a.example/b?c=1&d#e'],
    ['campaigns', 'https://a.example/b?utm_source=x&c=1&utm_medium=y#e', 'https://a.example/b?c=1#e'],
    ['clicks', 'https://a.example/?gclid=1&fbclid=2&srsltid=3', 'https://a.example/'],
    ['names in upper case', 'https://a.example/?UTM_Source=1&b', 'https://a.example/?b'],
    ['nothing that only begins like one', 'https://a.example/?gclids=1&utm=2', 'https://a.example/?gclids=1&utm=2'],
    ['nothing in the fragment', 'https://a.example/#?utm_source=x', 'https://a.example/#?utm_source=x'],
    ['the rest byte for byte', 'https://a.example/?a=%e4+&&b=&utm_id=1', 'https://a.example/?a=%e4+&&b='],
    [
      'sessions stay',
      'https://a.example/?sid=0123456789abcdef0123456789abcdef',
      'https://a.example/?sid=0123456789abcdef0123456789abcdef',
    ],
    [
      'Outlook',
      'https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.example%2Fb%3Fc%3D1%26utm_source%3Dx&data=05%7C01&reserved=0',
      'https://a.example/b?c=1',
    ],
    ['Google', 'https://www.google.com/url?sa=t&url=https://a.example/b&ved=1', 'https://a.example/b'],
    ['Facebook', 'https://l.facebook.com/l.php?u=https%3A%2F%2Fa.example%2F%3Ffbclid%3D1&h=AT', 'https://a.example/'],
    ['Proofpoint', 'https://urldefense.com/v3/__https:/a.example/b?c=1__;!!x$', 'https://a.example/b?c=1'],
    [
      'a wrapper in a wrapper',
      `https://l.facebook.com/l.php?u=${encodeURIComponent('https://www.google.com/url?q=https://a.example/')}`,
      'https://a.example/',
    ],
    ['no target', 'https://www.google.com/url?sa=t', 'https://www.google.com/url?sa=t'],
    [
      'a target that runs',
      'https://l.facebook.com/l.php?u=javascript:x()',
      'https://l.facebook.com/l.php?u=javascript:x()',
    ],
    [
      'another host with such a path',
      'https://a.example/l.php?u=https://b.example/',
      'https://a.example/l.php?u=https://b.example/',
    ],
    ['mail', 'mailto:a@b.example?subject=c', 'mailto:a@b.example?subject=c'],
  ])('%s', (_, href, clean) => {
    expect(cleanLink(href)).toBe(clean);
    expect(cleanLink(clean)).toBe(clean);
  });
});
