/**
 * What is known of a site, and what to do with a page of it: read it with the rules, or ask the model.
 *
 * A page is of the template of the asked page that it is most like; a page like none begins a template. A template is
 * asked until its pages read as the model answers. After that, pages that look wrong are asked, and one in 300.
 */
import type { LearnedRules } from './rules.ts';
import { likeness, type Shares, sharesOf, type Signature } from './signature.ts';

/** A page that was asked. */
export interface AskedPage {
  readonly url: string;
  readonly signature: Signature;
  /** The number of its template. */
  readonly template: number;
  /** Fields with a value; null: it has no record. */
  readonly has: readonly string[] | null;
  /** Fields that the rules before it read otherwise; undefined if there were no rules. */
  readonly misses: readonly string[] | undefined;
  /** Set if an earlier job asked about it. `unchecked`: its template is not settled by that alone. */
  readonly earlier?: 'unchecked' | 'trusted';
}

export interface TemplateView {
  readonly leader: Signature;
  readonly asked: number;
  /** Those of them that this job asked about. */
  readonly askedHere: number;
  /** Asked pages with a record. */
  readonly records: number;
  readonly isSettled: boolean;
  /** Fields that nearly all of its records have. */
  readonly usual: readonly string[];
}

export interface SiteView {
  /** Changes with what is known. */
  readonly id: string;
  readonly rules: LearnedRules;
  readonly templates: readonly TemplateView[];
  readonly shares: Shares;
  /** Pages asked in all templates. */
  readonly asked: number;
}

export type Verdict =
  | { readonly kind: 'read' | 'none'; readonly template: number }
  | { readonly kind: 'ask'; readonly template: number };

const sameTemplate = 0.5;
/** Pages asked of a template before it can be settled. */
const askedMin = 3;
/** Pages without a record that tell that a template has none. */
const withoutRecordMin = 2;
/** Asked pages with a record after which only doubts are asked. */
const lessonsMax = 20;
/** The last asked pages that have to read as answered. */
const lastPages = 4;
const doubtfulMissesMax = 1;
/** Pages of a template on which what an earlier job learned is checked. */
const checksMin = 2;
const sampleShare = 300;

export function siteView(id: string, asked: readonly AskedPage[], rules: LearnedRules): SiteView {
  const templates: TemplateView[] = [];
  const records = asked.filter(({ has }) => has !== null);
  const isCleanSite = isClean(records, rules);
  for (let number = 0; asked.some(({ template }) => template === number); number++) {
    const own = asked.filter(({ template }) => template === number);
    const ownRecords = own.filter(({ has }) => has !== null);
    const [first] = own;
    if (!first) break;
    const here = own.filter(({ earlier }) => earlier !== 'unchecked');
    const recordsHere = here.filter(({ has }) => has !== null).length;
    const isTaught = here.length < own.length && holdsStill(here);
    templates.push({
      leader: first.signature,
      asked: own.length,
      askedHere: own.filter(({ earlier }) => earlier === undefined).length,
      records: ownRecords.length,
      isSettled:
        ownRecords.length === 0
          ? here.length >= withoutRecordMin
          : isTaught || (here.length >= askedMin && (isCleanSite || recordsHere >= lessonsMax)),
      usual: usualOf(ownRecords),
    });
  }
  return { id, rules, templates, shares: sharesOf(asked.map(({ signature }) => signature)), asked: asked.length };
}

/** The first pages of this job read as an earlier one had learned. */
function holdsStill(here: readonly AskedPage[]): boolean {
  const checks = here.slice(0, checksMin);
  const misses = checks.reduce((sum, { misses: one = [] }) => sum + one.length, 0);
  return checks.length === checksMin && misses <= doubtfulMissesMax;
}

/** The last pages read as they were answered, up to one miss; or misses are those of a model that errs. */
function isClean(records: readonly AskedPage[], rules: LearnedRules): boolean {
  const judged = records.filter(({ misses }) => misses !== undefined);
  const last = judged.slice(-lastPages);
  if (last.length < lastPages) return false;
  const misses = last.reduce((sum, { misses: one = [] }) => sum + one.length, 0);
  if (misses <= doubtfulMissesMax) return true;
  if (records.length < 3 * lastPages) return false;
  // Fields that agree with nearly all answers, and not with the last, differ by chance.
  const sure = Object.values(rules.fields).filter(({ right, asked }) => right >= 0.8 * asked).length;
  return sure === Object.keys(rules.fields).length && misses <= lastPages * Math.max(1, sure * 0.15);
}

function usualOf(records: readonly AskedPage[]): readonly string[] {
  if (records.length < askedMin) return [];
  const names = new Set(records.flatMap(({ has }) => has ?? []));
  return [...names].filter((name) => records.filter(({ has }) => has?.includes(name)).length >= records.length * 0.9);
}

/** The template that a page is of; the number of templates if it is of none. */
export function templateOf(
  signature: Signature,
  { templates, shares }: Pick<SiteView, 'templates' | 'shares'>,
): number {
  let [best, at] = [sameTemplate, templates.length];
  for (const [number, { leader }] of templates.entries()) {
    const alike = likeness(signature, leader, shares);
    if (alike >= best) [best, at] = [alike, number];
  }
  return at;
}

/** What a page shows when it is read with the rules. */
export interface ReadSigns {
  readonly template: number;
  /** Fields that other locators read otherwise. */
  readonly disagree: readonly string[];
  readonly missing: readonly string[];
  readonly required: readonly string[];
  /** Every field has a value that the page declares. */
  readonly isDeclared: boolean;
  readonly url: string;
}

export function verdictOf(view: SiteView, signs: ReadSigns): Verdict {
  const { template, missing, disagree } = signs;
  const known = view.templates[template];
  if (signs.isDeclared) return { kind: 'read', template };
  if (!known?.isSettled || isSampled(signs.url)) return { kind: 'ask', template };
  if (known.records === 0) return { kind: 'none', template };
  const lost = missing.some((name) => known.usual.includes(name) || signs.required.includes(name));
  return { kind: lost || disagree.length > 0 ? 'ask' : 'read', template };
}

/** True for a page about which a model is asked even when nothing is in doubt: the same ones in every run. */
export function isSampled(url: string): boolean {
  let hash = 0;
  for (let at = 0; at < url.length; at++) hash = (Math.imul(hash, 31) + url.charCodeAt(at)) | 0;
  return (hash >>> 0) % sampleShare === 0;
}
