import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';
import { fold, unfoldedAfter } from './fold.ts';
import type { Meaning } from './language.ts';
import { meanings } from './language.ts';
import { languages } from './languages.ts';
import { Matcher } from './matcher.ts';
import { parsePhrase, type Pattern, textsOf } from './pattern.ts';
import { phrases, wordsOf } from './phrases.ts';

const whole = 'en de fr es it pt nl pl cs ru tr ar he ja zh ko'.split(' ');

describe('languages', () => {
  it('languages: has every file of the folder', () => {
    const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.json'));
    expect(Object.keys(languages).map((code) => `${code}.json`)).toEqual(files.toSorted());
  });

  it.each(whole)('languages: has words for every meaning in %s', (code) => {
    expect(Object.keys(languages[code] ?? {}).toSorted()).toEqual(meanings.toSorted());
  });

  it.each(Object.keys(languages))('languages: has no meaning that nobody asks for in %s', (code) => {
    expect(Object.keys(languages[code] ?? {}).filter((name) => !meanings.some((meaning) => meaning === name))).toEqual(
      [],
    );
  });

  it.each(Object.keys(languages))('languages: finds every phrase of %s where it stands alone', (code) => {
    const unknown = meanings.flatMap((meaning) =>
      wordsOf(languages[code] ?? {}, meaning).filter((phrase) => {
        const text = fold(exampleOf(parsePhrase(phrase)));
        return !phrases(meaning).isLine(text) || phrases(meaning).startIn(text) === 0;
      }),
    );
    expect(unknown).toEqual([]);
  });

  it.each(Object.keys(languages))('languages: lets a text begin with every variant of every phrase of %s', (code) => {
    const refused = meanings.flatMap((meaning) =>
      wordsOf(languages[code] ?? {}, meaning)
        .flatMap((phrase) => textsOf(parsePhrase(phrase)))
        .flatMap((text) => [text, text.toUpperCase(), fold(text)])
        .filter((text) => !phrases(meaning).mayStart(text)),
    );
    expect(refused).toEqual([]);
  });
});

/** The first text of a pattern. */
function exampleOf(pattern: Pattern): string {
  return pattern
    .map((part) => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'choice') return exampleOf(part.choices.find((choice) => choice.length > 0) ?? []);
      return { gap: 'rakes', word: 'rakes', number: '3' }[part.kind];
    })
    .join('');
}

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';
const cards = [1, 2, 3, 4, 5].map((at) => `<li><a href="/${at}"><h3>Card ${at} on rakes</h3></a></li>`).join('');

function textOf(html: string): string {
  const page = `<html><head><meta property="og:type" content="article"></head><body>${html}</body></html>`;
  return toText(chooseContent(parseHtml(page), 'auto', null));
}

function examplesOf(code: string, ...wanted: readonly Meaning[]): readonly string[] {
  return wanted.flatMap((meaning) => wordsOf(languages[code] ?? {}, meaning)).map((one) => exampleOf(parsePhrase(one)));
}

describe.each(whole)('phrases in %s', (code) => {
  it('phrases: a heading that says what ends a text goes with the cards below it', () => {
    const kept = examplesOf(code, 'end').filter((phrase) => {
      const section = `<div><h2>${phrase}</h2><ul>${cards}</ul></div>`;
      const text = textOf(`<article><h1>Rakes</h1>${`<p>${prose}</p>`.repeat(6)}${section}</article>`);
      return text.includes('Card 1') || text.includes(phrase);
    });
    expect(kept).toEqual([]);
  });

  it('phrases: a line with a label or notice goes', () => {
    const kept = examplesOf(code, 'label', 'notice', 'invitation').filter((phrase) =>
      textOf(`<article><h1>Rakes</h1><p>${prose}</p><p>${phrase}</p><p>${prose}</p></article>`).includes(phrase),
    );
    expect(kept).toEqual([]);
  });

  it('phrases: what ends a text, a label and a notice stay in prose', () => {
    const lost = examplesOf(code, 'end', 'label', 'notice', 'invitation').filter(
      (phrase) =>
        !textOf(`<article><h1>Rakes</h1><p>${prose}</p><p>${prose} “${phrase}” ${prose}</p></article>`).includes(
          phrase,
        ),
    );
    expect(lost).toEqual([]);
  });
});

describe('Matcher', () => {
  const matcher = new Matcher(['read[ (more|also)]', 'updat…', 'commenti', 'تعليقات', '評論', 'à lire …']);

  it.each([
    ['Read more', true],
    ['READ', true],
    ['Read mores', false],
    ['Commentı', true],
    ['التعليقات', true],
    ['تَعليقات', true],
    ['評論', true],
    ['A LIRE aussi', true],
    ['Reader', false],
  ])('isLine: for %j is %s', (text, is) => {
    expect(matcher.isLine(fold(text))).toBe(is);
  });

  it('startIn: ends with a word, and in Chinese with the phrase', () => {
    const lengths = ['Read more: rakes', 'Reading', '評論區', 'We read'].map((text) => matcher.startIn(fold(text)));
    expect(lengths).toEqual([9, 0, 2, 0]);
  });

  it('lastIn, endIn: return where the phrase begins', () => {
    expect(matcher.lastIn(fold('Read it, last updated in May'))).toBe(14);
    expect(matcher.lastIn(fold('spread'))).toBe(-1);
    expect(matcher.endIn(fold('3 May, read also'))).toBe(7);
    expect(matcher.endIn(fold('read also this'))).toBe(-1);
  });
});

describe('fold', () => {
  it.each([
    ['Ｆｕｌｌ：ｗｉｄｔｈ', 'full:width'],
    ['  Two\n words\u00a0here ', 'two words here'],
    ['İstanbul ve Irmak', 'istanbul ve irmak'],
    ['DÉJÀ VU', 'deja vu'],
    ['ガイド', 'ガイド'],
    ['한국어', '한국어'],
    ['أخبار', 'اخبار'],
    ['Don’t', "don't"],
  ])('fold: %j is %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('unfoldedAfter: returns what follows a phrase, with accents', () => {
    expect(unfoldedAfter('Écrit par Zoé', fold('écrit par').length)).toBe(' Zoé');
    expect(unfoldedAfter('E\u0301crit par Zoé', fold('écrit par').length)).toBe(' Zoé');
  });
});
