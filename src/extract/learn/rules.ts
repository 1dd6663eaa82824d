/** What is learned of the pages of one site: where the values of fields stand. */
import type { Field, Locator } from '../../core/extract.ts';
import type { DecimalMark } from '../fields/numbers.ts';
import type { DayOrder } from '../metadata/iso-date.ts';
import type { Json } from '../fields/read-record.ts';

/** The answer of the model for a page, as far as the page supports it; null as a whole: the page has no record. */
export type Answer = Readonly<Record<string, Json>> | null;

/** A page whose answer is known. */
export interface Sample {
  readonly url: string;
  readonly html: string;
  readonly answer: Answer;
}

export interface LearnedField {
  /** The first one with a value counts. */
  readonly locators: readonly Locator[];
  /** Finds the same by other means; a difference gives a wrong value away. */
  readonly witness: Locator | undefined;
  /** What the page declares comes before the locators. */
  readonly declaredFirst: boolean;
  /** Answered pages on which the field read the answer. */
  readonly right: number;
  readonly asked: number;
  /** Answered pages that have a value. */
  readonly present: number;
  /**
   * Set if all answers are texts of one word: what is in them besides letters and digits. A value with anything else, such as
   * `HashSet<E>` where answers are `HashMap` and `Thread.State`, is doubtful.
   */
  readonly marks?: string;
}

/** Version 0 has no fields. It grows whenever the locators change. */
export interface LearnedRules {
  readonly version: number;
  readonly fields: Readonly<Record<string, LearnedField>>;
  /** How the site writes what could be read in two ways, if answers told it. */
  readonly decimal?: DecimalMark;
  readonly dayOrder?: DayOrder;
}

/** A value that looks like no answer: it has several words, or marks that no answer has. */
export function looksForeign({ marks }: Pick<LearnedField, 'marks'>, value: Json): boolean {
  if (marks === undefined || typeof value !== 'string') return false;
  return Array.from(value).some((one) => !/[\p{L}\p{M}\p{N}]/u.test(one) && !marks.includes(one));
}

export const noRules: LearnedRules = { version: 0, fields: {} };

/** Fields that a model is asked for: the client does not point at them. */
export function learnableFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ isInSchema, alternatives }) => isInSchema && alternatives.length === 0);
}

/** Fields with what was learned, for {@link readRecord}. */
export function withRules(fields: readonly Field[], rules: LearnedRules): readonly Field[] {
  return fields.map((field) => {
    const learned = Object.hasOwn(rules.fields, field.name) ? rules.fields[field.name] : undefined;
    if (!learned || field.alternatives.length > 0) return field;
    return { ...field, alternatives: learned.locators, isLearned: true, declaredFirst: learned.declaredFirst };
  });
}
