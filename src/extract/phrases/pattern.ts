/** Reads the notation of phrases; see `Phrase`. */
import { fold } from './fold.ts';

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'gap' }
  | { readonly kind: 'word' }
  | { readonly kind: 'number' }
  | { readonly kind: 'choice'; readonly choices: readonly Pattern[] };

export type Pattern = readonly Part[];

const signs = { '…': 'gap', '~': 'word', '#': 'number' } as const;

export function parsePhrase(phrase: string): Pattern {
  const reader = { text: phrase.trim(), at: 0 };
  const pattern = readPattern(reader);
  if (reader.at < reader.text.length) throw new Error(`The phrase "${phrase}" has a bracket too many.`);
  return pattern;
}

interface Reader {
  readonly text: string;
  at: number;
}

/** Reads up to the end of the text or of the group. */
function readPattern(reader: Reader): Pattern {
  const parts: Part[] = [];
  let text = '';
  const endText = (): void => {
    if (text !== '') parts.push(...wordsOf(text));
    text = '';
  };
  while (reader.at < reader.text.length && !'|)]'.includes(reader.text.charAt(reader.at))) {
    const sign = reader.text.charAt(reader.at++);
    if (sign === '[' || sign === '(') {
      endText();
      parts.push({ kind: 'choice', choices: readChoices(reader, sign === '[' ? ']' : ')') });
    } else if (sign === '…' || sign === '~' || sign === '#') {
      endText();
      parts.push({ kind: signs[sign] });
    } else text += sign;
  }
  endText();
  return parts;
}

function readChoices(reader: Reader, end: ']' | ')'): readonly Pattern[] {
  const choices: Pattern[] = end === ']' ? [[]] : [];
  do choices.push(readPattern(reader));
  while (reader.text[reader.at++] === '|');
  if (reader.text[reader.at - 1] !== end) throw new Error(`The phrase "${reader.text}" lacks a ${end}.`);
  return choices;
}

/** Arabic and Hebrew nouns can have their article. */
function wordsOf(text: string): readonly Part[] {
  if (!semitic.test(text)) return [{ kind: 'text', text }];
  return text
    .split(noun)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const article = /^[\u0620-\u064a]{3}/.test(part) ? 'ال' : /^[\u05d0-\u05ea]{3}/.test(part) ? 'ה' : '';
      const word: Part = { kind: 'text', text: part };
      return article === '' || part.startsWith(article)
        ? [word]
        : [{ kind: 'choice', choices: [[], [{ kind: 'text', text: article }]] } as const, word];
    });
}

const semitic = /[\u05d0-\u05ea\u0620-\u064a]/;
const noun = /(?<![\u0590-\u06ff])(?=[\u0620-\u064a\u05d0-\u05ea]{3})/;

/** Keeps the spaces at the ends. */
function foldedPart(text: string): string {
  const start = text.startsWith(' ') ? ' ' : '';
  const end = text.endsWith(' ') && text.trim() !== '' ? ' ' : '';
  return `${start}${fold(text)}${end}`;
}

/** Returns the source of a regular expression. Expressions are for texts of bounded length. */
export function sourceOf(pattern: Pattern): string {
  return pattern.map(sourceOfPart).join('');
}

function sourceOfPart(part: Part): string {
  switch (part.kind) {
    case 'text':
      return foldedPart(part.text).replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    case 'gap':
      return '.{0,60}';
    case 'word':
      return '[^ ]{1,25}';
    case 'number':
      return '\\d{1,9}';
    case 'choice':
      return `(?:${part.choices.map(sourceOf).toSorted(longestFirst).join('|')})`;
  }
}

/** So that an optional part is taken if it is there. */
function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}

/**
 * Returns the beginnings of the texts of a pattern, of this length; shorter ones where the text ends or goes on with
 * anything. Throws if a text can begin with anything.
 */
export function beginningsOf(pattern: Pattern, length: number): ReadonlySet<string> {
  const beginnings = beginningsIn(pattern, length);
  if (beginnings === undefined || beginnings.has('')) throw new Error('A phrase begins with a word or a number.');
  return beginnings;
}

function beginningsIn(pattern: Pattern, length: number): ReadonlySet<string> | undefined {
  const [first] = pattern;
  // Most phrases begin with plain words.
  if (first?.kind === 'text' && first.text.length >= length) {
    const beginning = foldedPart(first.text.slice(0, length * 2)).slice(0, length);
    if (beginning.length === length) return new Set([beginning]);
  }
  const found = new Set<string>();
  let open: readonly string[] = [''];
  for (const part of pattern) {
    const longer = new Set<string>();
    for (const text of beginningsOfPart(part, length)) {
      for (const before of open) {
        if (text !== undefined) longer.add((before + text).slice(0, length));
        else if (before === '') return undefined;
        else found.add(before);
      }
    }
    open = [];
    for (const text of longer) {
      if (text.length >= length) found.add(text);
      else open = [...open, text];
    }
    if (open.length === 0) return found;
  }
  return new Set([...found, ...open]);
}

/** Undefined stands for anything. */
function beginningsOfPart(part: Part, length: number): readonly (string | undefined)[] {
  switch (part.kind) {
    case 'text':
      return [foldedPart(part.text).slice(0, length)];
    case 'number':
      return '0 1 2 3 4 5 6 7 8 9'.split(' ');
    case 'gap':
    case 'word':
      return [undefined];
    case 'choice':
      return part.choices.flatMap((choice) => [...(beginningsIn(choice, length) ?? [undefined])]);
  }
}

/** Returns all texts of a pattern, with accents; none if it has a part without end. */
export function textsOf(pattern: Pattern): readonly string[] {
  let texts: readonly string[] = [''];
  for (const part of pattern) {
    const next = part.kind === 'text' ? [part.text] : part.kind === 'choice' ? part.choices.flatMap(textsOf) : [];
    texts = texts.flatMap((text) => next.map((one) => text + one));
  }
  return texts;
}
