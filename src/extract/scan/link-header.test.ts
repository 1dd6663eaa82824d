import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerLinksMax, parseLinkHeader } from './link-header.ts';

/** Target and relations, and a * for a link with a language. */
const linksOf = (header: string): readonly string[] =>
  parseLinkHeader(header).map(
    ({ target, relations, hasLanguage }) => `${target} ${relations.join('+')}${hasLanguage ? '*' : ''}`,
  );

describe('parseLinkHeader', () => {
  it.each<[why: string, header: string, links: readonly string[]]>([
    ['an empty header', '', []],
    ['one link', '</2>; rel="next"', ['/2 next']],
    ['several links with white space anywhere', ' </2>;rel=next\t,,  </0> ; rel = "prev" ;', ['/2 next', '/0 prev']],
    ['a link in upper case', '</2>; REL="Next"', ['/2 next']],
    ['several relations of one link', '</2>; rel=" next  last\tnofollow"', ['/2 next+last+nofollow']],
    ['several relations without their quotes', '</2>; rel=next last', ['/2 next+last']],
    ['a language', '</de>; rel=alternate; hreflang=de', ['/de alternate*']],
    ['a language without a value', '</de>; rel=alternate; HrefLang', ['/de alternate*']],
    [
      'commas and semicolons in the target',
      '<https://e.com/a,b;rel=x>; rel=next, </c>; rel=prev',
      ['https://e.com/a,b;rel=x next', '/c prev'],
    ],
    ['commas, semicolons and brackets in quotes', '</a>; title="x, <y>; rel=up"; rel=next', ['/a next']],
    ['escapes in quotes', String.raw`</a>; title="\"; rel=up; \\"; rel="ne\xt"`, ['/a next']],
    ['an equals sign in a value', '</a>; title=a=b; rel=next', ['/a next']],
    ['an empty parameter', '</a>;; rel=next', ['/a next']],
    ['an empty target as the page itself', '<>; rel=canonical', [' canonical']],
    ['the first rel of a link', '</a>; rel=next; rel=prev', ['/a next']],
    ['no link without a relation', '</a>, </b>; rel, </c>; rel="", </d>; title=rel', []],
    ['no link with an anchor', '</a>; rel=next; anchor="/other", </b>; rel=prev; anchor="#part"', []],
    ['the other links when one is invalid', 'x; rel=next, "</a>", >; rel=up, </c>; rel=next', ['/c next']],
    ['a target up to the first bracket', '</b; rel=prev, </c>; rel=next', ['/b; rel=prev, </c next']],
    ['no link with words before its target', 'see </a>; rel=next, </b>; rel=next', ['/b next']],
    ['nothing after a target without an end', '</a>; rel=next, </b; rel=prev', ['/a next']],
    ['nothing after a quote without an end', '</a>; title="x, </b>; rel=next', []],
    ['a relation without its closing quote', '</a>; rel="next', ['/a next']],
    ['a relation that ends with a backslash', '</a>; rel="next\\', ['/a next']],
    ['parameters up to the first invalid one', '</a>; rel="next" of; hreflang=de', ['/a next']],
  ])('parseLinkHeader: reads %s', (_, header, links) => {
    expect(linksOf(header)).toEqual(links);
  });

  it('parseLinkHeader: returns at most headerLinksMax links', () => {
    const header = Array.from({ length: headerLinksMax + 10 }, (_, n) => `</${n}>; rel=next`).join();
    expect(parseLinkHeader(header)).toHaveLength(headerLinksMax);
  });

  it.each(['<', '"', '\\', ';', ',', ' ', '"\\', '</a>;', '</a>; rel="', '; \t', 'a=', '<>;rel'])(
    'parseLinkHeader: takes processor time in proportion to a header of many %j',
    (part) => {
      const start = process.cpuUsage();
      parseLinkHeader(`</a>;${part.repeat(500_000)}`);
      // Milliseconds are enough.
      expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
    },
  );

  it('parseLinkHeader: returns any target as it was written', () => {
    const target = fc.string({ unit: fc.constantFrom('a', '/', ',', ';', '=', '"', ' ', '\\') });
    const title = fc.string({ unit: fc.constantFrom('a', '<', '>', ',', ';', '=', '"', ' ', '\\') });
    fc.assert(
      fc.property(fc.array(fc.tuple(target, title), { maxLength: 5 }), (written) => {
        const header = written.map(([to, text]) => `<${to}>; title="${text.replace(/["\\]/g, '\\$&')}"; rel=next`);
        expect(parseLinkHeader(header.join(', ')).map((link) => link.target)).toEqual(written.map(([to]) => to));
      }),
    );
  });
});
