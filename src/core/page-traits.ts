// What is kept of a page, in few bytes, so that a later job can tell whether an answer is that page.

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
}

/** Ends {@link packTraits} of a page that has a field for a password. */
export const asksMark = ' asks';

export function packTraits({ words, type, language, form, text, asksPassword }: PageTraits): string {
  return `${words} ${type} ${language} ${form.slice(0, 10)} ${text.slice(0, 10)}${asksPassword ? asksMark : ''}`;
}

export function unpackTraits(packed: string | null | undefined): PageTraits | undefined {
  if (packed === null || packed === undefined) return undefined;
  const [words, type = '', language = '-', form = '-', text = '-'] = packed.split(' ');
  return { words: Number(words), type, language, form, text, asksPassword: packed.endsWith(asksMark) };
}

/** True if two pages show the same text, wherever their links lead. */
export function showSameText(one: string | null | undefined, other: string | null | undefined): boolean {
  const text = unpackTraits(one)?.text ?? '-';
  return text !== '-' && text === unpackTraits(other)?.text;
}
