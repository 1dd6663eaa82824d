/**
 * Learns where values stand, from pages whose values are known: every locator that finds a value on one of them is
 * executed on all of them, and the answers vote. Pages that are not at hand any more vote for what they taught. Pure: the
 * same samples give the same rules in any order.
 */
import type { ExtractOption, Field, Locator, Scalar } from '../../core/extract.ts';
import { startSelecting } from '../html/select-elements.ts';
import { Locators } from '../fields/locate.ts';
import type { Json } from '../fields/read-record.ts';
import { rawText, typedValue } from '../fields/typed-value.ts';
import { oneLine } from '../fields/shown-text.ts';
import { declaredValuesOf, formatsOf } from './known-page.ts';
import type { OpenPage } from '../open-page.ts';
import { kindOf, kinds, meansSomethingElse, propose } from './propose.ts';
import { type LearnedField, type LearnedRules, learnableFields, type Sample } from './rules.ts';
import { sameValue } from './same-value.ts';

/** Candidates of a field that are executed on all samples. */
const candidatesMax = 120;
const locatorsMax = 5;
/** The share of answers that a locator has to agree with. */
const agreementMin = 0.6;

/** What a locator finds on a sample. */
interface Hit {
  readonly isRight: boolean;
  /** Whether it is right with each of the two ways to write numbers and dates. */
  readonly ways: readonly boolean[];
  /** The text, for values that a text stands for. */
  readonly text: string;
  /** Whether the locator finds a single element. */
  readonly isOnly: boolean;
}

interface Tried {
  readonly locator: Locator;
  readonly hits: (Hit | undefined)[];
  /** Votes of pages that are not at hand. */
  readonly before: number;
  /** One of the places that those taught. */
  readonly isKnown: boolean;
}

interface FieldData {
  readonly field: Field;
  readonly answers: Json[];
  readonly declared: Json[];
  readonly known: LearnedField | undefined;
  tried: Tried[];
}

export type OpenSample = (sample: Sample) => OpenPage;

export function learnRules(
  samples: readonly Sample[],
  base: LearnedRules,
  option: Pick<ExtractOption, 'declared'>,
  all: readonly Field[],
  open: OpenSample,
): Omit<LearnedRules, 'version'> {
  const records = samples
    .filter(({ answer }) => answer !== null)
    .toSorted((one, other) => (one.url < other.url ? -1 : one.url > other.url ? 1 : 0));
  const fields = learnableFields(all).filter(({ fields: inner }) => inner === undefined);
  const data = fields.map((field): FieldData => {
    const known = Object.hasOwn(base.fields, field.name) ? base.fields[field.name] : undefined;
    return { field, answers: [], declared: [], known, tried: [] };
  });
  collect(records, data, open);
  execute(records, data, option.declared, open);
  return {
    ...sitesWay(data, base),
    fields: Object.fromEntries(
      data.flatMap((one): [string, LearnedField][] => {
        const learned = choose(one);
        return learned ? [[one.field.name, learned]] : [];
      }),
    ),
  };
}

/** First pass: what each sample proposes, the most often proposed first. */
function collect(samples: readonly Sample[], data: readonly FieldData[], open: OpenSample): void {
  const proposed = data.map(() => new Map<string, { readonly locator: Locator; count: number }>());
  for (const sample of samples) {
    const page = open(sample);
    const byField = propose(
      { document: page.document, formats: formatsOf(page) },
      data.map(({ field }) => field),
      sample.answer ?? {},
    );
    for (const [at, { field }] of data.entries())
      for (const locator of byField.get(field.name) ?? []) {
        const key = JSON.stringify(locator);
        const known = proposed[at]?.get(key);
        if (known) known.count++;
        else proposed[at]?.set(key, { locator, count: 1 });
      }
  }
  for (const [at, one] of data.entries()) {
    const ordered = [...(proposed[at]?.entries() ?? [])].toSorted(
      ([key, { locator, count }], [otherKey, other]) =>
        other.count - count ||
        rankOf(locator) - rankOf(other.locator) ||
        key.length - otherKey.length ||
        (key < otherKey ? -1 : 1),
    );
    const known = knownPlaces(one.known);
    const keys = new Set(known.map(({ locator }) => JSON.stringify(locator)));
    const fresh = ordered.filter(([key]) => !keys.has(key)).slice(0, candidatesMax);
    one.tried = [
      ...known,
      ...fresh.map(([, { locator }]): Tried => ({ locator, hits: [], before: 0, isKnown: false })),
    ];
  }
}

/** Pages that are not at hand outvote no more than this many. */
const beforeMax = 5;

/** What earlier pages taught. The first place and the check were found on most of them, the others on some. */
function knownPlaces(known: LearnedField | undefined): readonly Tried[] {
  if (!known) return [];
  const { locators, witness, right } = known;
  return [...locators, ...(witness ? [witness] : [])].map((locator): Tried => {
    const before = locator === locators[0] || locator === witness ? Math.min(right, beforeMax) : 0;
    return { locator, hits: [], before, isKnown: locator !== witness };
  });
}

/** Second pass: what each candidate finds on each sample. */
function execute(samples: readonly Sample[], data: readonly FieldData[], declared: boolean, open: OpenSample): void {
  const shared: Field[] = data.map(({ field, tried }) => ({
    ...field,
    alternatives: tried.map(({ locator }) => locator),
  }));
  const locators = new Locators(shared);
  for (const [at, sample] of samples.entries()) {
    const page = open(sample);
    const formats = formatsOf(page);
    locators.begin();
    startSelecting();
    const stated = declared
      ? declaredValuesOf(
          page,
          data.map(({ field }) => field),
        )
      : {};
    for (const one of data) {
      const { field } = one;
      const answer = sample.answer?.[field.name] ?? null;
      one.answers[at] = answer;
      one.declared[at] = stated[field.name] ?? null;
      for (const tried of one.tried) {
        startSelecting();
        const max = field.isList ? 201 : 2;
        const places = locators.places(tried.locator, page.document, max);
        const [place] = places;
        if (!place) continue;
        if (meansSomethingElse(field)) {
          tried.hits[at] = {
            isRight: false,
            ways: [],
            text: oneLine(rawText(place, 'text')).toLowerCase(),
            isOnly: places.length === 1,
          };
          continue;
        }
        const ways = formats.map((format) => {
          const read = field.isList
            ? places.map((each) => typedValue(each, field, tried.locator, format))
            : [typedValue(place, field, tried.locator, format)];
          const values = read.map((each) => (each.kind === 'value' ? (each.value as Json) : null));
          return answer !== null && sameValue(field.isList ? values : (values[0] ?? null), answer, field.type);
        });
        tried.hits[at] = { isRight: ways.includes(true), ways, text: '', isOnly: field.isList || places.length === 1 };
      }
    }
  }
}

function choose(data: FieldData): LearnedField | undefined {
  const { field, answers, declared, known = unknown } = data;
  if (meansSomethingElse(field)) mapTexts(data);
  const present = known.present + answers.filter((answer) => answer !== null).length;
  const isStated = (at: number): boolean => sameValue(declared[at] ?? null, answers[at] ?? null, field.type);
  const stated = answers.flatMap((_, at) => (declared[at] === null ? [] : [at]));
  const declaredFirst =
    stated.length === 0
      ? known.declaredFirst
      : stated.filter((at) => isStated(at)).length >= Math.max(1, stated.length * 0.8);
  const chosen: Tried[] = [];
  const uncovered = new Set(answers.keys());
  for (const candidate of ranked(data.tried, answers)) {
    if (chosen.length >= locatorsMax) break;
    const isFirst = chosen.length === 0;
    const { right, wrong, score } = votes(isFirst ? candidate : { ...candidate, before: 0 }, answers, uncovered);
    const isGood = isFirst
      ? score > 0 && right >= agreementMin * (right + wrong)
      : (candidate.isKnown && wrong === 0) ||
        (right > 0 && (wrong === 0 ? right > 1 || present < 6 : right >= 4 * wrong));
    if (!isGood) continue;
    chosen.push(candidate);
    for (const at of uncovered) if (candidate.hits[at]) uncovered.delete(at);
  }
  if (chosen.length === 0 && !declaredFirst) return undefined;
  const valueIsRight = (at: number): boolean => {
    if (declaredFirst && declared[at] !== null) return isStated(at);
    const hit = chosen.find(({ hits }) => hits[at])?.hits[at];
    return hit ? hit.isRight : answers[at] === null;
  };
  return {
    locators: chosen.map(({ locator }) => locator),
    witness: witnessOf(data, chosen, present)?.locator,
    declaredFirst,
    right: known.right + answers.filter((_, at) => valueIsRight(at)).length,
    asked: known.asked + answers.length,
    present,
    ...marksOf(field, answers, known),
  };
}

const unknown: LearnedField = {
  locators: [],
  witness: undefined,
  declaredFirst: false,
  right: 0,
  asked: 0,
  present: 0,
};

/** Answers that can tell what others look like. */
const marksFromMin = 3;

function marksOf(field: Field, answers: readonly Json[], known: LearnedField): Pick<LearnedField, 'marks'> {
  const given = answers.filter((answer) => answer !== null);
  const texts = given.filter((answer) => typeof answer === 'string');
  if (field.type !== 'text' || meansSomethingElse(field) || known.present + texts.length < marksFromMin) return {};
  if (known.present >= marksFromMin && known.marks === undefined) return {};
  if (texts.length < given.length || texts.some((text) => /\s/.test(text))) return {};
  return {
    marks: [...new Set((known.marks ?? '') + texts.join('').replace(/[\p{L}\p{M}\p{N}]/gu, ''))].toSorted().join(''),
  };
}

/** The way of writing that alone gives the answers, by the best candidate of each field. */
function sitesWay(
  data: readonly FieldData[],
  { decimal, dayOrder }: LearnedRules,
): Pick<LearnedRules, 'decimal' | 'dayOrder'> {
  const only = (types: readonly string[]): number => {
    let balance = 0;
    for (const { field, tried, answers } of data) {
      if (!types.includes(field.type)) continue;
      const [best] = ranked(tried, answers);
      for (const hit of best?.hits ?? [])
        if (hit && hit.ways[0] !== hit.ways[1]) balance += hit.ways[0] === true ? 1 : -1;
    }
    return balance;
  };
  const [numbers, dates] = [only(['number', 'integer', 'price']), only(['date'])];
  return {
    ...(decimal && { decimal }),
    ...(dayOrder && { dayOrder }),
    ...(numbers !== 0 && { decimal: numbers > 0 ? '.' : ',' }),
    ...(dates !== 0 && { dayOrder: dates > 0 ? 'month' : 'day' }),
  };
}

/** The best locator of another kind than the first. */
function witnessOf({ tried, answers }: FieldData, chosen: readonly Tried[], present: number): Tried | undefined {
  const [first] = chosen;
  const everywhere = new Set(answers.keys());
  return ranked(tried, answers).find((candidate) => {
    if (chosen.includes(candidate) || groupOf(candidate) === (first && groupOf(first))) return false;
    const { right, wrong } = votes(candidate, answers, everywhere);
    return right >= Math.max(2, present * 0.6) && right >= 6 * wrong;
  });
}

function groupOf({ locator }: Tried): string {
  const kind = kindOf(locator);
  return kind === 'class' || kind === 'path' || kind === 'id' ? 'class' : kind;
}

function ranked(tried: readonly Tried[], answers: readonly Json[]): readonly Tried[] {
  const everywhere = new Set(answers.keys());
  return tried
    .map((candidate) => ({
      candidate,
      score: votes(candidate, answers, everywhere).score,
      rank: rankOf(candidate.locator) + manyOf(candidate),
    }))
    .toSorted((one, other) => other.score - one.score || one.rank - other.rank)
    .map(({ candidate }) => candidate);
}

/** The first of several elements may be the right one by chance. */
function manyOf({ hits }: Tried): number {
  return hits.some((hit) => hit?.isOnly === false) ? kinds.length / 2 : 0;
}

function rankOf(locator: Locator): number {
  return (
    kinds.indexOf(kindOf(locator)) +
    (locator.between === undefined ? 0 : 1.5) +
    (locator.attribute === undefined ? 0 : 0.3)
  );
}

function votes(
  { hits, before }: Tried,
  answers: readonly Json[],
  among: ReadonlySet<number>,
): { readonly right: number; readonly wrong: number; readonly score: number } {
  let [right, wrong, score] = [before, 0, before];
  for (const at of among) {
    const hit = hits[at];
    if (!hit) continue;
    if (hit.isRight) {
      right++;
      score++;
    } else if (answers[at] === null) {
      wrong += 0.5;
      score -= 0.5;
    } else {
      wrong++;
      score--;
    }
  }
  return { right, wrong, score };
}

/** Few texts, each of which nearly always stands for one value. */
const textsMax = 6;

function mapTexts(data: FieldData): void {
  const { field, answers } = data;
  data.tried = data.tried.flatMap((candidate): Tried[] => {
    const counts = new Map<string, Map<string, number>>();
    let answered = 0;
    for (const [at, answer] of answers.entries()) {
      const text = candidate.hits[at]?.text;
      if (text === undefined || answer === null || typeof answer === 'object') continue;
      answered++;
      const values = counts.get(text) ?? new Map<string, number>();
      values.set(JSON.stringify(answer), (values.get(JSON.stringify(answer)) ?? 0) + 1);
      counts.set(text, values);
    }
    const map: Record<string, Scalar> = { ...candidate.locator.map };
    if (counts.size + Object.keys(map).length === 0 || counts.size > textsMax) return [];
    for (const [text, values] of counts) {
      const [best] = [...values].toSorted(([, one], [, other]) => other - one);
      if (best && text !== '' && text !== '__proto__') map[text] = JSON.parse(best[0]) as string | number | boolean;
    }
    const meanings = new Set(Object.values(map));
    // Texts that stand for values come again and again.
    if (counts.size > meanings.size && counts.size * 2 > answered) return [];
    const known = new Set(answers.filter((answer) => answer !== null).map((answer) => JSON.stringify(answer)));
    // A text that is on every page says nothing.
    if (meanings.size < known.size) return [];
    const locator: Locator = { ...candidate.locator, ...(field.type !== 'text' && { type: field.type }), map };
    const hits = candidate.hits.map((hit, at) => hit && { ...hit, isRight: map[hit.text] === answers[at] });
    return [{ ...candidate, locator, hits }];
  });
}
