// What a job knows of one site: the pages that the model was asked about, and the rules that they gave. Stored after each
// lesson as one value, so that it is whole or not there.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type LearnedRules, noRules } from '../../extract/learn/rules.ts';
import { type AskedPage, type SiteView, siteView } from '../../extract/learn/site-view.ts';

export interface KnownPage extends AskedPage {
  /** Fields of the answer that the page does not have. */
  readonly unsupported: readonly string[];
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

/** Bytes of what is stored of a site, without HTML. */
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

/** Pages of a template that a job takes over from an earlier one. */
const takenOverMax = 20;

/** What an earlier job learned: of each template the first asked page, which it is recognised by, and the last ones. */
export function takenOver(
  name: string,
  { pages, rules }: Pick<SiteLessons, 'pages' | 'rules'>,
  earlier: NonNullable<KnownPage['earlier']>,
): SiteLessons {
  const kept = pages.filter(({ template }, at) => {
    const later = pages.slice(at + 1).filter((page) => page.template === template).length;
    const isFirst = !pages.slice(0, at).some((page) => page.template === template);
    return isFirst || later < takenOverMax - 1;
  });
  return lessonsOf(
    name,
    0,
    kept.map((page): KnownPage => Object.assign({}, page, { earlier })),
    rules,
  );
}

interface Stored {
  readonly pages: readonly Omit<KnownPage, 'html'>[];
  readonly rules: LearnedRules;
  /** Bytes of the HTML of each page, which follows. */
  readonly lengths: readonly number[];
}

/** The rules first, so that they are read without the pages that they were learned from. */
export function packLessons({ pages, rules }: Pick<SiteLessons, 'pages' | 'rules'>): Uint8Array {
  const stored: Stored = {
    pages: pages.map(({ url, signature, template, answer, unsupported, misses, earlier }) => {
      return { url, signature, template, answer, unsupported, misses, ...(earlier && { earlier }) };
    }),
    rules,
    lengths: pages.map(({ html }) => html.length),
  };
  const head = deflateRawSync(JSON.stringify(stored));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...pages.map(({ html }) => html)]);
}

export function unpackLessons(name: string, revision: number, data: Uint8Array): SiteLessons {
  const { pages, rules, lengths, end } = unpackHead(data);
  let at = end;
  const known = pages.map((page, index): KnownPage => {
    const html = data.slice(at, (at += lengths[index] ?? 0));
    return Object.assign(page, { html });
  });
  return lessonsOf(name, revision, known, rules);
}

export function unpackRules(data: Uint8Array): Pick<Stored, 'pages' | 'rules'> {
  return unpackHead(data);
}

function unpackHead(data: Uint8Array): Stored & { readonly end: number } {
  const end = 4 + Buffer.from(data.buffer, data.byteOffset, data.length).readUInt32LE();
  const head = inflateRawSync(data.subarray(4, end), { maxOutputLength: bytesMax });
  return { ...(JSON.parse(head.toString()) as Stored), end };
}
