/** Decides whether an author statement is the name of a person. */
import { oneLine } from '../html/node-text.ts';
import { type Folded, fold, unfoldedAfter } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';

/** Names of the site as a whole. An author with such a name says nothing. */
export interface SiteNames {
  readonly host: string;
  readonly names: readonly (string | undefined)[];
}

/**
 * Returns the names in a statement or a byline such as "By Ada Field | March 3, 2026", joined by commas. Returns
 * undefined for a handle, an address, a number or a placeholder, and for the name of the site if `site` is given.
 */
export function authorNames(text: string, site: SiteNames | undefined): string | undefined {
  if (text === '') return undefined;
  const names = text
    .slice(0, textLengthMax)
    .split(/\s*[,;]\s*(?!(?:Jr|Sr|Ph\.?D|M\.?D|LCSW|R[DN])\b)/)
    .map((part) => bareName(part))
    .filter((name) => isName(name) && (site === undefined || !isSite(name, site)));
  return names.length === 0 ? undefined : [...new Set(names)].join(', ');
}

const textLengthMax = 1_000;

/** Removes an introduction such as "By" and trailing punctuation. */
export function bareName(text: string): string {
  const said = oneLine(text);
  const introduction = byOrAuthor.mayStart(said) ? lengthOfIntroduction(fold(said.slice(0, introductionMax))) : 0;
  return unfoldedAfter(said, introduction)
    .replace(introduction === 0 ? /^/ : /^[\s:：/／丨]+/, '')
    .replace(/[\s:,;|·•–-]+$/, '')
    .trim();
}

const introductionMax = 60;

function lengthOfIntroduction(text: Folded): number {
  return by.startIn(text) || author.startIn(text);
}

const by = phrases('by');
const author = phrases('author');
const byOrAuthor = phrases('by', 'author');
const team = phrases('team');
const placeholder = phrases('placeholder');

/** True for a word that stands in place of a name, such as the rank of a member. */
export function isPlaceholder(name: Folded): boolean {
  return placeholder.isLine(name);
}

function isName(name: string): boolean {
  if (name.length > nameLengthMax || !/\p{L}/u.test(name)) return false;
  return !/@|:\/\/|^www\.|\p{L}:\s/u.test(name) && !isPlaceholder(fold(name)) && !handle.test(name);
}

/** Turns "Field, Ada" into "Ada Field": records of libraries put the surname first. */
export function givenNameFirst(name: string): string {
  const parts = /^([^,]{1,60}),\s*([^,]{1,60})$/.exec(name.trim());
  return parts === null || suffixes.test(parts[2] ?? '') ? name : `${parts[2]} ${parts[1]}`;
}

const suffixes = /^(?:Jr|Sr|Ph\.?D|M\.?D|Inc|LLC|Ltd)\b/;

/** Returns true for `AdaF`, the name of an account. */
export function isAccount(name: string): boolean {
  return /^\p{Lu}\p{Ll}{2,}\p{Lu}$/u.test(name);
}

/** Returns true if each of the names stands for several persons: readers may see the one who wrote the page. */
export function isGroup(names: string): boolean {
  return names.split(', ').every((name) => team.lastIn(fold(name)) !== -1);
}

/** `ada.field`, `ada_field`, and the name of a variable of a template that was not filled. */
const handle = /^\W{0,3}[a-z\d]+(?:[._][a-z\d]+)+\W{0,3}$/;
const nameLengthMax = 120;

function isSite(name: string, { host, names }: SiteNames): boolean {
  const written = lettersOf(name);
  return (
    names.some((other) => other !== undefined && lettersOf(other) === written) ||
    host.split('.').some((label) => label.length >= labelLengthMin && label.replaceAll('-', '') === written)
  );
}

const labelLengthMin = 3;

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .replace(/(?:com|org|net)$/, '');
}
