import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerLinksMax, parseLinkHeader } from './link-header.ts';

/** Target and relations, and a * for a link with a language. */
const linksOf = (header: string): readonly string[] =>
  parseLinkHeader(header).map(
    ({ target, relations, hasLanguage }) => `${target} ${relations.join('+')}${hasLanguage ? '*' : ''}`,
  );

describe('a Link header', () => {
  it.each<[why: string, header: string, links: readonly string[]]>([
    ['nothing', '', []],
    ['one link', '</2>; rel="next"', ['/2 next']],
    ['several, with white space anywhere', ' </2>;rel=next\t,,  </0> ; rel = "prev" ;', ['/2 next', '/0 prev']],
    ['in upper case', '</2>; REL="Next"', ['/2 next']],
    ['several relations in one', '</2>; rel=" next  last\tnofollow"', ['/2 next+last+nofollow']],
    ['several relations without the quotes that they need', '</2>; rel=next last', ['/2 next+last']],
    ['a language', '</de>; rel=alternate; hreflang=de', ['/de alternate*']],
    ['a language that is not said', '</de>; rel=alternate; HrefLang', ['/de alternate*']],
    [
      'commas and semicolons in the target',
      '<https://e.com/a,b;rel=x>; rel=next, </c>; rel=prev',
      ['https://e.com/a,b;rel=x next', '/c prev'],
    ],
    ['commas, semicolons and brackets in quotes', '</a>; title="x, <y>; rel=up"; rel=next', ['/a next']],
    ['escapes in quotes', String.raw`</a>; title="\"; rel=up; \\"; rel="ne\xt"`, ['/a next']],
    ['an equals sign in a value', '</a>; title=a=b; rel=next', ['/a next']],
    ['an empty parameter', '</a>;; rel=next', ['/a next']],
    ['an empty target, which is the page', '<>; rel=canonical', [' canonical']],
    ['the first rel counts', '</a>; rel=next; rel=prev', ['/a next']],
    ['without a relation', '</a>, </b>; rel, </c>; rel="", </d>; title=rel', []],
    ['of something else than this page', '</a>; rel=next; anchor="/other", </b>; rel=prev; anchor="#part"', []],
    ['what is no link costs no other', 'x; rel=next, "</a>", >; rel=up, </c>; rel=next', ['/c next']],
    ['a target ends at the first bracket', '</b; rel=prev, </c>; rel=next', ['/b; rel=prev, </c next']],
    ['words before the target', 'see </a>; rel=next, </b>; rel=next', ['/b next']],
    ['a target without an end takes the rest', '</a>; rel=next, </b; rel=prev', ['/a next']],
    ['a quote without an end takes the rest', '</a>; title="x, </b>; rel=next', []],
    ['a relation without an end of its quote', '</a>; rel="next', ['/a next']],
    ['a backslash at the end', '</a>; rel="next\\', ['/a next']],
    ['parameters end where one is none', '</a>; rel="next" of; hreflang=de', ['/a next']],
  ])('%s', (_, header, links) => {
    expect(linksOf(header)).toEqual(links);
  });

  it('has a limit', () => {
    const header = Array.from({ length: headerLinksMax + 10 }, (_, n) => `</${n}>; rel=next`).join();
    expect(parseLinkHeader(header)).toHaveLength(headerLinksMax);
  });

  it.each(['<', '"', '\\', ';', ',', ' ', '"\\', '</a>;', '</a>; rel="', '; \t', 'a=', '<>;rel'])(
    'of nothing but %j costs no more than its size',
    (part) => {
      const start = performance.now();
      parseLinkHeader(`</a>;${part.repeat(500_000)}`);
      // Milliseconds are enough; the rest is for a busy machine.
      expect(performance.now() - start).toBeLessThan(5_000);
    },
  );

  it('comes back as it was written', () => {
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
