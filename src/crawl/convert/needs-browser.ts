// Decides whether a page has to be rendered in a browser to have its text.
import type { PageMetadata } from '../../core/page.ts';
import type { BrowserVerdict } from '../../core/ports/renderer.ts';
import type { ScriptSigns } from '../../extract/scripts/script-signs.ts';

export interface BrowserNeed {
  readonly verdict: BrowserVerdict;
  /** The sign that decided, in a few words, such as `empty mount #root`; empty for `no`. */
  readonly sign: string;
}

/** Of a page that has its text. */
export const needsNone: BrowserNeed = { verdict: 'no', sign: '' };

/** A converted page. */
export interface JudgedPage {
  readonly metadata: PageMetadata;
  /** Characters of its content. */
  readonly textLength: number;
  /** Walks over the page. Called only if there is little text, which is rare. */
  readonly scriptSigns: () => ScriptSigns;
}

/** The verdict on a page as fetched. `content`: what the job keeps of a page. */
export function needsBrowser(page: JudgedPage, content: 'auto' | 'full' = 'auto'): BrowserNeed {
  const { textLength, metadata } = page;
  // The elements that the client selected are there.
  if (metadata['extractionMethod'] === 'include_elements' && textLength > 0) return needsNone;
  const ownLength = ownTextLength(page, content);
  // If the job keeps whole pages, menus alone can be this long.
  if (ownLength >= textLengthMax && content === 'auto') return needsNone;
  const signs = page.scriptSigns();
  if (!signs.runsScripts) return needsNone;
  const length = Math.min(ownLength, signs.textLength);
  for (const { verdict, below, sign, unless } of rules) {
    if (length >= below || unless?.(signs) === true) continue;
    const found = sign(signs);
    if (found !== undefined) return { verdict, sign: found };
  }
  return needsNone;
}

/**
 * Characters of the page's content. Menus and footers that are all of a page do not count, unless the job keeps them.
 */
export function ownTextLength(
  { textLength, metadata }: Pick<JudgedPage, 'textLength' | 'metadata'>,
  content: 'auto' | 'full' = 'auto',
): number {
  const isSurrounding = content === 'auto' && metadata['extractionMethod'] === 'whole' && textLength < surroundingMax;
  return isSurrounding ? 0 : textLength;
}

/** Menus, footers and cookie notices together are seldom longer. */
const surroundingMax = 2_000;

/**
 * The page as fetched or as rendered, whichever has more text. On trial (`try`), rendering must gain half as much again
 * and at least 200 characters, since scripts also add teasers, comments and the like to complete pages.
 */
export function betterOf<Page extends { readonly ownLength?: number }>(
  verdict: 'try' | 'render',
  fetched: Page,
  rendered: Page,
): Page {
  const { ownLength: before = 0 } = fetched;
  const { ownLength: after = 0 } = rendered;
  const isBetter =
    verdict === 'render' ? after >= before + gainMin : after >= before * trialFactor && after >= before + trialGainMin;
  return isBetter ? rendered : fetched;
}

/** The text of a page can be one line. A counter or a date is shorter. */
const gainMin = 30;
const trialFactor = 1.5;
const trialGainMin = 200;

/** A page with this many characters of main content has its text, whatever else is in it. */
export const textLengthMax = 600;

interface Rule {
  readonly verdict: 'try' | 'render';
  /** The rule applies to pages with less main content, in characters. */
  readonly below: number;
  /** The sign in words; undefined if the page lacks it. */
  readonly sign: (page: ScriptSigns) => string | undefined;
  /** If this holds, the sign means nothing. */
  readonly unless?: (page: ScriptSigns) => boolean;
}

/** The first rule that holds decides. */
const rules: readonly Rule[] = [
  { verdict: 'render', below: 100, sign: named('empty mount', 'mount') },
  { verdict: 'render', below: 200, sign: flag('placeholders in the text', 'hasPlaceholders') },
  { verdict: 'render', below: 60, sign: named('binding', 'binding'), unless: hasForm },
  { verdict: 'render', below: 40, sign: named('waits with', 'waits'), unless: showsOther },
  { verdict: 'render', below: 60, sign: flag('script redirects', 'redirects'), unless: showsOther },
  { verdict: 'render', below: 60, sign: flag('asks for JavaScript', 'asksForScripts'), unless: showsOther },
  { verdict: 'render', below: 1, sign: () => 'no text', unless: showsOther },
  { verdict: 'try', below: 600, sign: named('empty mount', 'mount') },
  { verdict: 'try', below: 600, sign: flag('placeholders in the text', 'hasPlaceholders') },
  { verdict: 'try', below: 400, sign: named('binding', 'binding') },
  { verdict: 'try', below: 400, sign: flag('asks for JavaScript', 'asksForScripts'), unless: showsOther },
  { verdict: 'try', below: 200, sign: named('waits with', 'waits'), unless: hasForm },
  { verdict: 'try', below: 200, sign: flag('templates', 'hasTemplates'), unless: showsOther },
  { verdict: 'try', below: 200, sign: flag('script redirects', 'redirects'), unless: showsOther },
  { verdict: 'try', below: 200, sign: flag('document.write', 'writes'), unless: showsOther },
  { verdict: 'try', below: 400, sign: named('empty element', 'container'), unless: hasForm },
  {
    verdict: 'try',
    below: 60,
    sign: () => 'little text',
    unless: (page) => showsOther(page) || page.links >= linksMin,
  },
];

/** A page with this many links is a complete list. */
const linksMin = 5;

function named(words: string, name: 'mount' | 'container' | 'binding' | 'waits'): Rule['sign'] {
  return (page) => page[name] && `${words} ${page[name]}`;
}

function flag(
  words: string,
  name: 'hasPlaceholders' | 'asksForScripts' | 'redirects' | 'writes' | 'hasTemplates',
): Rule['sign'] {
  return (page) => (page[name] ? words : undefined);
}

/** A single field is a search box. */
function hasForm({ fields }: ScriptSigns): boolean {
  return fields >= 2;
}

/** A form, pictures or other documents are content without text. */
function showsOther({ fields, pictures, frames }: ScriptSigns): boolean {
  return fields >= 2 || frames > 0 || pictures >= 2;
}
