/** Derives a page's title without the name of its site. */
import { isTag, type ChildNode, type Element } from 'domhandler';
import { oneLine, textBeginning } from '../html/node-text.ts';
import { fold } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';
import { isNamedIn, isOfSite } from '../text/page-title.ts';

/** Finds the links with which headings of documentation name themselves. */

/** Returns the children of a heading without a link to a part of its own page that shows a sign: `¶`, `#`, an icon. */
function withoutPermalink({ children }: Element): readonly ChildNode[] {
  return children.some(isPermalink) ? children.filter((child) => !isPermalink(child)) : children;
}

function isPermalink(node: ChildNode): boolean {
  return isTag(node) && node.name === 'a' && node.attribs['href']?.startsWith('#') === true && isSign(node);
}

function isSign({ children }: Element): boolean {
  return !/[\p{L}\p{N}]/u.test(textBeginning(children, signLengthMax));
}

const signLengthMax = 3;

/** Names of the site: what it calls itself, if it does, and its host. */
export interface SiteTitles {
  readonly name: string | undefined;
  readonly host: string;
  /** The site name is the subject of its start page. */
  readonly isStartPage: boolean;
}

/** Returns the first `<h1>` with half of its words in the title, otherwise the title without the site name. */
export function headlineOf(title: string, headings: readonly Element[], site: SiteTitles): string {
  const own = headings.slice(0, headingsMax).filter((heading) => !isOfSite(heading, title.toLowerCase()));
  const texts = (own.length === 0 ? headings.slice(0, headingsMax) : own).flatMap((heading) => {
    const text = oneLine(textBeginning(withoutPermalink(heading), headingLengthMax));
    return text === '' || text.length >= headingLengthMax ? [] : [text];
  });
  const named = texts.find((text) => isNamedIn(title.toLowerCase(), text.toLowerCase()));
  // Style sheets write the full stops of `Pump.Valve.open`.
  if (named !== undefined) return withoutEnds(lettersOf(named) === lettersOf(title) ? title : named, site);
  // In "Site: Manual: Subject", the subject stands at the end.
  const [first = ''] = title.split(anySeparator, 1);
  const last =
    !site.isStartPage && isSite(first, site)
      ? texts.find((text) => endsWith(title, text) && !isSite(text, site))
      : undefined;
  return last ?? withoutSite(title, site);
}

const headingsMax = 20;
const headingLengthMax = 500;

/** Where the name of a manual with its version begins, as in `Pump (Water Tools 3.1 API)`; -1 if there is none. */
function manualAt(title: string): number {
  const found = / \(([^()]{1,90}|[^()]{1,60}\([^()]{1,40}\))\)$/.exec(title);
  const name = fold(found?.[1]?.replace(/\)$/, '') ?? '');
  return found !== null && /\d/.test(name) && manuals.endIn(name) > 0 ? found.index : -1;
}

function endsWith(title: string, heading: string): boolean {
  return title.length > heading.length && title.toLowerCase().endsWith(heading.toLowerCase());
}

/** The site name stands at the end or, if it is known, at the beginning. */
function withoutSite(title: string, site: SiteTitles): string {
  const manual = manualAt(title);
  if (manual > 0) return title.slice(0, manual);
  const parts = title.split(separator);
  if (parts.length < 2) return withoutEnds(title, site);
  const [first = ''] = parts;
  if (!site.isStartPage && isSite(first, site))
    return withoutEnds(title.slice(first.length).replace(leading, ''), site);
  const last = parts.at(-1) ?? '';
  return withoutEnds(title.slice(0, -last.length).replace(trailing, ''), site, last);
}

/** Removes the site name from the end, also after others. `known` is a name of the site that was removed already. */
function withoutEnds(title: string, site: SiteTitles, known = ''): string {
  const last = title.split(separator).at(-1) ?? '';
  if (last.length === title.length) {
    const colon = title.lastIndexOf(': ');
    return colon > 0 && isSite(title.slice(colon + 2), site) ? title.slice(0, colon) : title;
  }
  const isEnd = isSite(last, site) || isSection(last, known) || isSection(last, site.name ?? '');
  return isEnd ? withoutEnds(title.slice(0, -last.length).replace(trailing, ''), site, known) : title;
}

/** "Field documentation" after "Field", in a title such as "Rakes | Field documentation | Field". */
function isSection(part: string, name: string): boolean {
  const letters = lettersOf(name);
  const section = siteSection.endIn(fold(part));
  return letters.length >= siteLengthMin && section > 0 && lettersOf(part.slice(0, section)) === letters;
}

function isSite(part: string, { name, host }: Pick<SiteTitles, 'name' | 'host'>): boolean {
  const letters = lettersOf(part);
  if (letters.length < siteLengthMin) return false;
  if (name !== undefined && letters === lettersOf(name)) return true;
  const labels = host
    .toLowerCase()
    .replace(/^www\./, '')
    .split('.');
  return letters === labels.join('') || labels.slice(0, -1).some((label) => lettersOf(label) === letters);
}

const manuals = phrases('manual');
const siteSection = phrases('siteSection');
const siteLengthMin = 3;
const separator = /\s+[|–—·»•:-]\s+|\s*[|»]\s*/;
const anySeparator = /\s+[|–—·»•:-]\s+|\s*[|»:]\s*/;
const leading = /^\s*[|–—·»•:-]\s*/;
const trailing = /\s*[|–—·»•:-]\s*$/;

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
