// What a job knows of one site: the pages that the model was asked about, and the rules that they gave. What is stored has
// signatures and counts, but no HTML and no response: those live in the memory of the process that asked.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PageAnswer } from '../../extract/learn/read-learned.ts';
import { type LearnedRules, noRules, type LearnedField } from '../../extract/learn/rules.ts';
import { type AskedPage, type SiteView, siteView } from '../../extract/learn/site-view.ts';
import type { Lessons } from '../../core/ports/lessons.ts';
import type { FieldRules, ReadSiteRules, SiteRules } from '../../core/ports/site-rules.ts';

export interface KnownPage extends AskedPage {
  /** Set if this process asked about it. */
  readonly sample?: PageAnswer & { /** Deflated. */ readonly html: Uint8Array };
}

export interface SiteLessons {
  /** Of the store; 0: nothing is stored. */
  readonly revision: number;
  readonly pages: readonly KnownPage[];
  readonly rules: LearnedRules;
  /** What pages taught that another process asked about. */
  readonly base: LearnedRules;
  readonly view: SiteView;
}

/** Bytes of what is stored of a site. */
const bytesMax = 64 * 2 ** 20;

/** Named by its job and site. */
export function lessonsOf(name: string, known: Omit<SiteLessons, 'view'>): SiteLessons {
  return { ...known, view: siteView(`${name} ${known.revision}`, known.pages, known.rules) };
}

export function noLessons(name: string): SiteLessons {
  return lessonsOf(name, { revision: 0, pages: [], rules: noRules, base: noRules });
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
  const taken = kept.map((page): KnownPage => Object.assign({}, page, { earlier }));
  return lessonsOf(name, { revision: 0, pages: taken, rules, base: rules });
}

export function packLessons({ pages, rules }: Pick<SiteLessons, 'pages' | 'rules'>): Uint8Array {
  const stored = pages.map(({ sample: _sample, ...page }) => page);
  return deflateRawSync(JSON.stringify({ pages: stored, rules }));
}

export function unpackLessons(
  name: string,
  { revision, data }: { readonly revision: number; readonly data: Uint8Array },
): SiteLessons {
  const text = inflateRawSync(data, { maxOutputLength: bytesMax }).toString();
  const { pages, rules } = JSON.parse(text) as { readonly pages: readonly AskedPage[]; readonly rules: LearnedRules };
  return lessonsOf(name, { revision, pages, rules, base: rules });
}

export function siteRulesReader(lessons: Pick<Lessons, 'list'>): ReadSiteRules {
  return async (jobId) =>
    (await lessons.list(jobId)).map(({ site, ...stored }) => rulesOf(site, unpackLessons(site, stored)));
}

function rulesOf(site: string, { pages, rules, view: { templates } }: SiteLessons): SiteRules {
  return {
    site,
    version: rules.version,
    asked: pages.length,
    decimal: rules.decimal ?? null,
    dayOrder: rules.dayOrder ?? null,
    templates: templates.map(({ asked, records, isSettled }, number) => ({
      example: pages.find(({ template }) => template === number)?.url ?? '',
      asked,
      records,
      isSettled,
    })),
    fields: Object.fromEntries(
      Object.entries(rules.fields).map(([name, learned]) => [name, fieldRules(name, learned, pages)]),
    ),
  };
}

function fieldRules(
  name: string,
  { locators, witness, declaredFirst, asked, right }: LearnedField,
  pages: readonly AskedPage[],
): FieldRules {
  const judged = pages.flatMap(({ misses }) => (misses ? [misses] : []));
  return {
    locators,
    witness: witness ?? null,
    declaredFirst,
    asked,
    right,
    judged: judged.length,
    misses: judged.filter((misses) => misses.includes(name)).length,
  };
}
