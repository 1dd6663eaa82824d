// A job with `since` knows what each page was, so it doubts a response of another kind: the page is unknown, and its text
// counts on, until enough runs in a row got that kind.
import { type BaselinePage, type Doubt, redirectTarget } from '../../../core/baseline.ts';
import type { JobSpec } from '../../../core/job.ts';
import type { CountedCode } from '../../../core/job-codes.ts';
import type { PageRecord } from '../../../core/page.ts';
import { asksMark, causeOf, sourceIn, unpackTraits } from '../../../core/page-traits.ts';
import { countNotice } from './sayings.ts';
import type { JobRow } from './job-row.ts';

/** Runs in a row are `confirm_runs`, or so many times that if the response is less sure. */
const surelyTimes = 5;
/** Notes that a client accepted the kind. No schedule has this number of runs: a run a minute takes 1,900 years. */
export const acceptedRuns = 1_000_000_000;

/** Shorter texts do not tell their language. */
const languageWordsMin = 20;
/** So much of its words is left of a page that is still there. */
const wordsLeftMin = 0.1;

/** What came in place of a page that an earlier job knew. */
export interface ResponseSeen {
  readonly state: string;
  readonly reason?: string | undefined;
  /** Set if it is a page. */
  readonly page?: PageRecord | undefined;
  /** The page is on a host outside the job. */
  readonly isOutside?: boolean;
  /** The job has the page under another URL. */
  readonly isCopy?: boolean;
  /** Two other URLs of this run showed the text before. */
  readonly isCommon?: boolean;
}

export interface Doubted extends Doubt {
  /** Says it of the job. What is gone is counted at its end. */
  readonly finding?: CountedCode;
}

/** The kind of a response, and how many runs in a row it came. Undefined if it is the page, or the page was not read. */
export function doubtOf(known: BaselinePage & { readonly key: string }, response: ResponseSeen): Doubted | undefined {
  const other = response.page ? kindOfPage(known, response, response.page) : kindOfRefusal(response);
  return other && { ...other, runs: known.doubt?.kind === other.kind ? known.doubt.runs + 1 : 1 };
}

type Kind = Omit<Doubted, 'runs'>;

/** In the order in which the kinds apply. */
function kindOfPage(
  known: BaselinePage & { readonly key: string },
  { isOutside = false, isCopy = false, isCommon = false }: ResponseSeen,
  page: PageRecord,
): Kind | undefined {
  if (page.change === 'unchanged' || causeOf(known.traits, page.traits)) return undefined;
  const [was, is] = [unpackTraits(known.traits), unpackTraits(page.traits)];
  if (is?.asksPassword && was?.asksPassword === false) return { kind: 'shut', finding: 'signed_out' };
  const isLed = page.fetchedKey !== known.key && page.fetchedKey !== redirectTarget(known.validator);
  if (isLed) return isOutside ? { kind: 'ill', finding: 'site_changed' } : { kind: 'gone' };
  const hasSameOptions = sourceIn(known.traits)?.options === sourceIn(page.traits)?.options;
  if (was && is && hasSameOptions) {
    if (is.type !== was.type) return { kind: 'ill', finding: 'site_changed' };
    if (is.words < was.words * wordsLeftMin) return { kind: 'ill', finding: 'empty_pages' };
    const isLong = Math.min(is.words, was.words) >= languageWordsMin;
    if (isLong && is.language !== was.language) return { kind: 'ill', finding: 'language_changed' };
    if (isCommon) return { kind: 'ill', finding: 'same_page' };
  }
  return isCopy ? { kind: 'gone' } : undefined;
}

/** Errors, refusals and limits say nothing of the page. */
function kindOfRefusal({ state, reason }: ResponseSeen): Kind | undefined {
  switch (reason ?? '') {
    case 'http_404':
    case 'http_410':
    case 'robots_disallowed':
    case 'duplicate_of':
      return { kind: 'gone' };
    // A redirect led there: this is no option of the job.
    case 'off_path':
    case 'excluded_by_glob':
    case 'excluded_by_pattern':
      return state === 'discarded' ? { kind: 'gone' } : undefined;
    case 'off_host':
      return state === 'discarded' ? { kind: 'ill', finding: 'site_changed' } : undefined;
    case 'content_type':
      return { kind: 'ill', finding: 'site_changed' };
    // The crawl has said `blocked`.
    case 'challenge':
      return { kind: 'shut' };
    default:
      return undefined;
  }
}

/** True if the response counts now. Of what is gone only the end of the job can say it: see {@link judgeGone}. */
export function isTaken({ kind, runs }: Doubt, { spec }: Pick<JobRow, 'spec'>): boolean {
  return kind === 'ill' ? runs >= surelyTimes * confirmRunsOf(spec) : kind === 'shut' && runs >= acceptedRuns;
}

function confirmRunsOf(spec: string): number {
  return (JSON.parse(spec) as JobSpec).confirmRuns;
}

/**
 * Page keys by which a text is common: of the first and of the second URL that showed it, and of all pages whose earlier
 * texts differed in digits only. None if nothing but digits changed.
 */
export function commonKeys(
  earlier: Pick<BaselinePage, 'hash' | 'traits'>,
  { change, contentKey, traits }: PageRecord,
): readonly [first: string, second: string, family: string] | undefined {
  const textOf = (form: string | undefined, text: string | undefined): string | undefined =>
    form === undefined || form === '-' ? text : form;
  const now = textOf(unpackTraits(traits)?.form, contentKey);
  const before = textOf(unpackTraits(earlier.traits)?.form, earlier.hash);
  if (change !== 'changed' || now === undefined || now === before) return undefined;
  return [`f${now}`, `g${now}`, `h${now} ${before}`];
}

const isDoubtedSql = "text_of IS NOT NULL AND change = 'doubted'";
/** Conditions on an entry of a job that has come to its end, in SQL of both stores. */
export const doubtSql = {
  /** A client accepts that it is gone. */
  anyGone: `${isDoubtedSql} AND doubt = 'gone'`,
  /** A redirect to a page that asks for a password led away from one that did not. */
  led: `${isDoubtedSql} AND doubt = 'shut' AND reason = 'duplicate_of'`,
  asks: `traits LIKE '%${asksMark}'`,
} as const;

/** The same, where the number of runs counts. */
export function runsSql({ spec }: Pick<JobRow, 'spec'>): Readonly<Record<'gone' | 'due' | 'sure', string>> {
  const confirmed = confirmRunsOf(spec);
  const sure = surelyTimes * confirmed;
  return {
    /** The page seems to be gone, and that is not certain. */
    gone: `${doubtSql.anyGone} AND doubt_runs < ${sure}`,
    /** It is removed, unless too many are gone. */
    due: `${doubtSql.anyGone} AND doubt_runs BETWEEN ${confirmed} AND ${sure - 1}`,
    /** It is removed. Text that is ill counts as soon as it is taken. */
    sure: `${isDoubtedSql} AND doubt_runs >= CASE doubt WHEN 'shut' THEN ${acceptedRuns} ELSE ${sure} END`,
  };
}

/** Pages of the earlier job on one host. */
export interface GoneCounts {
  readonly host: string;
  /** Pages of the baseline. */
  readonly pages: number;
  /** See {@link runsSql}. */
  readonly gone: number;
  readonly due: number;
  readonly sure: number;
  readonly led: number;
  readonly example: string | null;
  readonly ledExample: string | null;
}

/** All pages of a host that has fewer are gone with its last page. */
const hostPagesMin = 3;

/** What is removed: `due` pages only if not too many are gone. A site with a bad night answers 404 for all it has. */
export function judgeGone(
  row: JobRow,
  hosts: readonly GoneCounts[],
  now: number,
): { readonly removes: 'sure' | 'due'; readonly count: number } {
  const sum = (of: (one: GoneCounts) => number): number => hosts.reduce((total, one) => total + of(one), 0);
  const exampleOf = (of: (one: GoneCounts) => string | null): string => hosts.map(of).find((url) => url !== null) ?? '';
  const led = sum((one) => one.led);
  const ledExample = exampleOf((one) => one.ledExample);
  if (led > 0) countNotice(row, 'signed_out', ledExample, now, led);
  const [pages, gone, due, sure] = [
    sum((one) => one.pages),
    sum((one) => one.gone),
    sum((one) => one.due),
    sum((one) => one.sure),
  ];
  const hasManyHosts = row.kind === 'crawl' && hosts.length > 1;
  const isWhole = (one: GoneCounts): boolean => one.pages >= hostPagesMin && one.gone === one.pages;
  const isShrunk = gone > pages / 2 || (hasManyHosts && hosts.some(isWhole));
  const example = exampleOf((one) => one.example);
  if (isShrunk) countNotice(row, 'shrunk', example, now, gone);
  else if (gone > due) countNotice(row, 'removals_held', example, now, gone - due);
  return isShrunk ? { removes: 'sure', count: sure } : { removes: 'due', count: sure + due };
}
