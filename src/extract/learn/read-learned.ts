/** Reads a page of a job that learns: with the rules of its site, and with the answer of the model if there is one. */
import type { Field } from '../../core/extract.ts';
import { Locators } from '../fields/locate.ts';
import { recordPageOf, type WantedData } from '../fields/page-data.ts';
import {
  type ExtractedRecord,
  type Json,
  readRecord,
  recordHash,
  type Source,
  withinBytes,
} from '../fields/read-record.ts';
import type { FieldProblem } from '../fields/typed-value.ts';
import type { OpenPage } from '../open-page.ts';
import { type Answer, type LearnedRules, learnableFields, looksForeign, noRules, withRules } from './rules.ts';
import { sameValue } from './same-value.ts';
import { type Signature, signatureOf } from './signature.ts';
import { type SiteView, templateOf, type Verdict, verdictOf } from './site-view.ts';

type Values = Readonly<Record<string, Json>>;

export interface LearnedRecord extends ExtractedRecord {
  readonly signature: Signature;
  readonly verdict: Verdict;
}

/** The answer for a page. `problems`: fields that the answer left open. */
export interface PageAnswer {
  readonly answer: Answer;
  readonly unsupported: readonly string[];
}

interface Reading {
  readonly fields: readonly Field[];
  readonly locators: Locators;
  /** Other ways to the values, by the names of their fields. */
  readonly checks: readonly Field[];
  readonly checkLocators: Locators;
}

/** Right as often as a model that errs is not. */
const sureMin = 0.8;
const sureAskedMin = 5;
const readingsMax = 20;
const readings = new WeakMap<WantedData, Map<string, Reading>>();

export function readLearned(
  wanted: WantedData,
  page: OpenPage,
  url: string,
  view: SiteView,
  given: PageAnswer | undefined,
): LearnedRecord {
  const signature = signatureOf(page.document.children);
  const template = templateOf(signature, view);
  const known = view.templates[template];
  // Where the client names the pages with a record, a page like none that was asked is one of them.
  const rules = given || wanted.hasWhen || (known && known.records > 0) ? view.rules : noRules;
  const { fields, locators, checks, checkLocators } = readingOf(wanted, view.id, rules);
  const recordPage = { ...recordPageOf(page, wanted.declared), site: rules };
  const isExpected = wanted.hasWhen || (known !== undefined && known.records > 0);
  const record = readRecord(fields, locators, recordPage, isExpected);
  const values = valuesIn(record.extracted);
  const others = checks.length === 0 ? {} : valuesIn(readRecord(checks, checkLocators, recordPage, true).extracted);
  const learnable = learnableFields(wanted.fields);
  const disagree = learnable
    .filter(
      ({ name, type }) =>
        otherValues(others, name).some((other) => !sameValue(other, values[name] ?? null, type)) ||
        isForeign(rules, name, values[name]),
    )
    .map(({ name }) => name);
  const missing = learnable.filter(({ name }) => (values[name] ?? null) === null).map(({ name }) => name);
  const verdict = verdictOf(view, {
    template,
    disagree,
    missing,
    required: wanted.fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    isDeclared:
      record.extracted !== null && learnable.every(({ name }) => record.from.fields[name]?.source === 'declared'),
    url,
  });
  const usual = { signature, verdict, found: record.found };
  if (given) return { ...usual, ...merged(wanted, rules, record, given, others) };
  if (verdict.kind === 'none') {
    const extracted = null;
    const from = { ...record.from, fields: {}, problems: {}, hash: recordHash(extracted) };
    return { ...usual, extracted, from, isIncomplete: false };
  }
  const open = new Map<string, FieldProblem>(disagree.map((name) => [name, 'disagree']));
  if (verdict.kind === 'ask') for (const name of missing) open.set(name, 'unasked');
  const isRecord = record.extracted !== null || verdict.kind === 'ask';
  const problems = isRecord ? { ...record.from.problems, ...Object.fromEntries(open) } : record.from.problems;
  return {
    ...usual,
    extracted: record.extracted,
    from: { ...record.from, rules: rules.version, problems },
    isIncomplete: record.isIncomplete || (isRecord && open.size > 0),
  };
}

function readingOf(wanted: WantedData, id: string, rules: LearnedRules): Reading {
  const known = readings.get(wanted) ?? new Map<string, Reading>();
  readings.set(wanted, known);
  const key = `${id} ${rules.version}`;
  let reading = known.get(key);
  if (!reading) {
    const fields = withRules(wanted.fields, rules);
    const checks = fields.flatMap((field) => checksOf(field, rules));
    reading = { fields, locators: new Locators(fields), checks, checkLocators: new Locators(checks) };
    if (known.size >= readingsMax) known.clear();
    known.set(key, reading);
  }
  return reading;
}

function checksOf(field: Field, { fields }: LearnedRules): readonly Field[] {
  const learned = field.isLearned === true && Object.hasOwn(fields, field.name) ? fields[field.name] : undefined;
  if (!learned) return [];
  const { witness, locators, declaredFirst } = learned;
  const usual = { ...field, isInSchema: false, declaredFirst: false };
  return [
    ...(witness ? [{ ...usual, name: `${field.name}${seam}0`, alternatives: [witness] }] : []),
    ...(declaredFirst && locators.length > 0
      ? [{ ...usual, name: `${field.name}${seam}1`, alternatives: locators }]
      : []),
  ];
}

/** In no name of a field. */
const seam = '\n';

function otherValues(others: Values, name: string): readonly Json[] {
  return [0, 1].flatMap((at) => {
    const value = others[`${name}${seam}${at}`] ?? null;
    return value === null ? [] : [value];
  });
}

function isForeign({ fields }: LearnedRules, name: string, value: Json = null): boolean {
  const learned = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return learned !== undefined && looksForeign(learned, value);
}

function valuesIn(record: Json): Values {
  return typeof record === 'object' && record !== null && !Array.isArray(record) ? (record as Values) : {};
}

/**
 * Two ways to a value that agree outvote an answer, if the field agreed with nearly all answers so far: models err.
 */
function merged(
  wanted: WantedData,
  rules: LearnedRules,
  { extracted, from, found }: ExtractedRecord,
  { answer, unsupported }: PageAnswer,
  others: Values,
): ExtractedRecord {
  const values = valuesIn(extracted);
  const fields: Record<string, { readonly source: Source; readonly raw?: string }> = {};
  const problems: Record<string, FieldProblem> = {};
  const learnable = new Set(learnableFields(wanted.fields).map(({ name }) => name));
  const entries = wanted.fields.map((field): [string, Json] => {
    const { name, type } = field;
    const own = values[name] ?? null;
    const told = answer?.[name] ?? null;
    const learned = Object.hasOwn(rules.fields, name) ? rules.fields[name] : undefined;
    const isSure = learned !== undefined && learned.asked >= sureAskedMin && learned.right >= sureMin * learned.asked;
    const agreeing = otherValues(others, name);
    const isAgreed = agreeing.length > 0 && agreeing.every((other) => sameValue(other, own, type));
    const isOwn =
      !learnable.has(name) ||
      sameValue(own, told, type) ||
      (own !== null && isSure && (isAgreed || told === null) && !isForeign(rules, name, own));
    const source = from.fields[name];
    const value = isOwn ? own : told;
    if (value !== null) fields[name] = isOwn && source ? source : { source: 'model' };
    else problems[name] = from.problems[name] ?? 'missing';
    // A visitor can write into a page what a model then says.
    if (!isOwn && own !== null && told !== null) problems[name] = 'disagree';
    if (value === null && unsupported.includes(name)) problems[name] = 'unsupported';
    return [name, value];
  });
  const hasRecord = answer !== null && entries.some(([, value]) => value !== null);
  const cut = { problem: (name: string, problem: FieldProblem): void => void (problems[name] = problem) };
  const record = hasRecord ? withinBytes(Object.fromEntries(entries), cut) : null;
  return {
    extracted: record,
    from: {
      rules: rules.version,
      fields: hasRecord ? fields : {},
      problems: hasRecord ? problems : {},
      hash: recordHash(record),
    },
    found: { ...found, ...Object.fromEntries(Object.keys(fields).map((name) => [name, true])) },
    isIncomplete:
      hasRecord &&
      (Object.values(problems).some((problem) => problem !== 'missing') ||
        wanted.fields.some(({ name, isRequired }) => isRequired && problems[name] !== undefined)),
  };
}
