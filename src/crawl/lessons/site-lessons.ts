// What a job knows of one site: the pages that the model was asked about, and the rules that they gave. Stored after each
// lesson as one value, so that it is whole or not there.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type LearnedRules, noRules } from '../../extract/learn/rules.ts';
import { type AskedPage, type SiteView, siteView } from '../../extract/learn/site-view.ts';

export interface KnownPage extends AskedPage {
  /** Deflated. */
  readonly html: Uint8Array;
}

export interface SiteLessons {
  /** Of the store; 0: nothing is stored. */
  readonly revision: number;
  readonly pages: readonly KnownPage[];
  readonly rules: LearnedRules;
  readonly view: SiteView;
}

/** Bytes of what is stored of a site. */
const bytesMax = 64 * 2 ** 20;

export function lessonsOf(
  name: string,
  revision: number,
  pages: readonly KnownPage[],
  rules: LearnedRules,
): SiteLessons {
  return { revision, pages, rules, view: siteView(`${name} ${revision}`, pages, rules) };
}

export function noLessons(name: string): SiteLessons {
  return lessonsOf(name, 0, [], noRules);
}

interface Stored {
  readonly pages: readonly (Omit<KnownPage, 'html'> & { readonly html: string })[];
  readonly rules: LearnedRules;
}

export function packLessons({ pages, rules }: Pick<SiteLessons, 'pages' | 'rules'>): Uint8Array {
  const stored: Stored = {
    pages: pages.map((page) => ({ ...page, html: Buffer.from(page.html).toString('base64') })),
    rules,
  };
  return deflateRawSync(JSON.stringify(stored));
}

export function unpackLessons(name: string, revision: number, data: Uint8Array): SiteLessons {
  const stored = JSON.parse(inflateRawSync(data, { maxOutputLength: bytesMax }).toString()) as Stored;
  const pages = stored.pages.map((page): KnownPage => ({ ...page, html: Buffer.from(page.html, 'base64') }));
  return lessonsOf(name, revision, pages, stored.rules);
}
