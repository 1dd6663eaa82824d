import { describe, expect, it } from 'vitest';
import { extractPage } from '../extract-page.ts';
import { decodeEmail } from './protected-emails.ts';

/** As Cloudflare does. */
const encode = (address: string, key = 0x5a): string =>
  Buffer.from([key, ...Buffer.from(address).map((byte) => byte ^ key)]).toString('hex');

const pageOf = (html: string, outputFormat: 'markdown' | 'text' = 'markdown') =>
  extractPage(html, {
    url: 'https://a.example/',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat,
    content: 'auto',
    excludeElements: null,
  });

describe('e-mail addresses hidden by Cloudflare', () => {
  const code = encode('ann@a.example');

  it.each<[why: string, html: string, markdown: string]>([
    [
      'a link without a text of its own',
      `<p>Write to <a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${code}">[email&#160;protected]</a>.</p>`,
      'Write to <ann@a.example>.',
    ],
    [
      'a link with a text',
      `<p>Write to <a href="https://a.example/cdn-cgi/l/email-protection#${code}">Ann</a>.</p>`,
      'Write to [Ann](mailto:ann@a.example).',
    ],
    [
      'an address in code',
      `<pre>name = "<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${code}">[email&#160;protected]</a>"</pre>`,
      '```\nname = "ann@a.example"\n```',
    ],
    [
      'an address that a link shows',
      `<p>Write to <a href="/cdn-cgi/l/email-protection#${code}"><b class="__cf_email__" data-cfemail="${code}">[email&#160;protected]</b></a>.</p>`,
      'Write to [**ann@a.example**](mailto:ann@a.example).',
    ],
  ])('extractPage: shows the hidden e-mail address of %s', (_, html, markdown) => {
    expect(pageOf(html).text.trim()).toBe(markdown);
  });

  it("extractPage: returns no link to the address that Cloudflare's script replaces", () => {
    const { links } = pageOf(`<p>See <a href="/cdn-cgi/l/email-protection#${code}">Ann</a> and <a href=/b>B</a>.</p>`);
    expect(links.map(({ url }) => url)).toStrictEqual(['https://a.example/b']);
  });

  it.each(['', 'zz', '5a', encode('no address'), encode('<b>@a.example'), encode('a@b\0'), 'f'.repeat(4000)])(
    'decodeEmail: returns undefined for %j',
    (given) => {
      expect(decodeEmail(given)).toBeUndefined();
      expect(
        pageOf(`<p>Write to <a href="/cdn-cgi/l/email-protection" data-cfemail="${given}">us</a> now, all of you.</p>`)
          .text,
      ).toContain('us');
    },
  );

  it.each(['ann@a.example', 'ann@münchen.example', 'a+b@c.d.example'])(
    'decodeEmail: reads %s with any key',
    (address) => {
      for (const key of [0, 1, 0x7f, 0x80, 0xff]) expect(decodeEmail(encode(address, key))).toBe(address);
    },
  );
});
