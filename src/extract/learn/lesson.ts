/** One lesson: the answer of the model for a page, and what it changes in the rules of the site. */
import type { ExtractOption, Field } from '../../core/extract.ts';
import { Locators } from '../fields/locate.ts';
import { recordPageOf } from '../fields/page-data.ts';
import { readRecord } from '../fields/read-record.ts';
import type { OpenPage } from '../open-page.ts';
import { learnRules, type OpenSample } from './learn-rules.ts';
import { readAnswer } from './read-answer.ts';
import type { PageAnswer } from './read-learned.ts';
import {
  type Answer,
  type LearnedRules,
  learnableFields,
  looksForeign,
  noRules,
  type Sample,
  withRules,
} from './rules.ts';
import { sameValue } from './same-value.ts';

export interface Lesson extends PageAnswer {
  readonly rules: LearnedRules;
  /** Fields with a value; null: the page has no record. */
  readonly has: readonly string[] | null;
  /** Fields that the rules before read otherwise; undefined if there were none. */
  readonly misses: readonly string[] | undefined;
}

/** With so many records all is learned again each time, later only after a miss. */
const earlyRecords = 8;

/** Undefined if the model's answer is no object. `samples`: without the page; `base`: what others than these taught. */
export function lessonOf(
  given: unknown,
  page: Omit<Sample, 'answer'>,
  known: { readonly samples: readonly Sample[]; readonly rules: LearnedRules; readonly base?: LearnedRules },
  option: Pick<ExtractOption, 'declared'>,
  fields: readonly Field[],
  open: OpenSample,
): Lesson | undefined {
  const { rules, samples, base = noRules } = known;
  const opened = open({ ...page, answer: null });
  const read = readAnswer(given, learnableFields(fields), opened);
  if (!read) return undefined;
  const { answer } = read;
  if (answer === null) return { ...read, rules, has: null, misses: undefined };
  const has = Object.keys(answer).filter((name) => answer[name] !== null);
  const misses = rules.version === 0 ? undefined : missesOf(answer, fields, rules, opened, option.declared);
  const records = Math.max(0, ...Object.values(rules.fields).map((field) => field.asked));
  const isUsual = Object.entries(rules.fields).every(([name, one]) => !looksForeign(one, answer[name] ?? null));
  if (misses?.length === 0 && isUsual && records >= earlyRecords) return { ...read, rules, has, misses };
  const learned = learnRules([...samples, { ...page, answer }], base, option, fields, open);
  const isSame = JSON.stringify(withoutCounts(learned)) === JSON.stringify(withoutCounts(rules));
  return { ...read, rules: { ...learned, version: rules.version + Number(!isSame) }, has, misses };
}

function missesOf(
  answer: NonNullable<Answer>,
  all: readonly Field[],
  rules: LearnedRules,
  page: OpenPage,
  declared: boolean,
): readonly string[] {
  const fields = withRules(all, rules);
  const recordPage = { ...recordPageOf(page, declared), site: rules };
  const { extracted } = readRecord(fields, new Locators(fields), recordPage, true);
  const values = (extracted ?? {}) as NonNullable<Answer>;
  return learnableFields(all)
    .filter(({ name, type }) => !sameValue(values[name] ?? null, answer[name] ?? null, type))
    .map(({ name }) => name);
}

function withoutCounts({ fields, decimal, dayOrder }: Omit<LearnedRules, 'version'>): object {
  const kept = Object.entries(fields).map(([name, { locators, witness, declaredFirst }]) => [
    name,
    { locators, witness, declaredFirst },
  ]);
  return { decimal, dayOrder, fields: Object.fromEntries(kept) as object };
}
