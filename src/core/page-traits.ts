// What is kept of a page, in few bytes, so that a later job can tell whether a response is that page.
import type { CountedCode } from './job-codes.ts';

export interface PageTraits {
  /** Outside of links; 0 if the page has only menus and footers. */
  readonly words: number;
  /** `page`, or the kind of a file. */
  readonly type: string;
  /** See `PageRecord.language`; `-` if it names none. */
  readonly language: string;
  /** The beginning of `PageRecord.formKey`; `-` if it has none. */
  readonly form: string;
  /** The beginning of a hash of title and text without targets of links; `-` if it is not known. */
  readonly text: string;
  /** The page has a field for a password. */
  readonly asksPassword: boolean;
  /** The beginnings of `WrittenKeys`; `-` if it has none. */
  readonly written: string;
  readonly undated: string;
}

/** What a page was made of. Equal sources make equal pages. */
export interface PageSource {
  /** Digest of what was received; `-` if that does not decide what the page is, as where a browser renders it. */
  readonly bytes: string;
  /** See `optionsKey`. */
  readonly options: string;
  /** Names the converting code. */
  readonly program: string;
}

/** Ends {@link packTraits} of a page that has a field for a password. */
export const asksMark = ' asks';

export function packTraits({ words, type, language, asksPassword, ...hashes }: PageTraits): string {
  const [form, text, written, undated] = [hashes.form, hashes.text, hashes.written, hashes.undated].map(beginning);
  return `${words} ${type} ${language} ${form} ${text} ${written} ${undated}${asksPassword ? asksMark : ''}`;
}

const beginning = (hash: string): string => hash.slice(0, 10);

/** Adds the source of a page to its packed traits, and what its conversion remarked. */
export function withSource(
  packed: string | undefined,
  { bytes, options, program }: PageSource,
  remarks: readonly CountedCode[] = [],
): string {
  return `${[bytes, options, program, ...remarks].join(' ')}\n${packed ?? ''}`;
}

export function unpackTraits(packed: string | null | undefined): PageTraits | undefined {
  const traits = packed?.slice(packed.indexOf('\n') + 1) ?? '';
  if (traits === '') return undefined;
  const [words, type = '', language = '-', form = '-', text = '-', written = '-', undated = '-'] = traits.split(' ');
  return {
    words: Number(words),
    type,
    language,
    form,
    text,
    written,
    undated,
    asksPassword: traits.endsWith(asksMark),
  };
}

/** True if two pages show the same text, wherever their links lead. */
export function showSameText(one: string | null | undefined, other: string | null | undefined): boolean {
  const text = unpackTraits(one)?.text ?? '-';
  return text !== '-' && text === unpackTraits(other)?.text;
}

/** Undefined if the source is not known. */
export function sourceIn(
  packed: string | null | undefined,
): (PageSource & { readonly remarks: readonly CountedCode[] }) | undefined {
  const end = packed?.indexOf('\n') ?? -1;
  if (end === -1) return undefined;
  const [bytes = '-', options = '', program = '', ...remarks] = packed?.slice(0, end).split(' ') ?? [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `withSource` wrote them
  return { bytes, options, program, remarks: remarks as CountedCode[] };
}

/** Why the page that is made of the same bytes is another one. Undefined if the bytes are others, or not known. */
export function causeOf(before: string | null | undefined, now: string | undefined): 'options' | 'program' | undefined {
  const [was, is] = [sourceIn(before), sourceIn(now)];
  if (!was || !is || is.bytes === '-' || is.bytes !== was.bytes) return undefined;
  return is.program === was.program ? 'options' : 'program';
}
