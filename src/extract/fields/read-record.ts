/** Reads the record of a page: its fields by what it declares and by where they stand. */
import { hash } from 'node:crypto';
import type { Document } from 'domhandler';
import type { Field, Locator } from '../../core/extract.ts';
import type { Thing } from '../scan/json-ld.ts';
import { ParseBudgetError, startSelecting } from '../html/select-elements.ts';
import { declaredBoolean, declaredObjects, declaredPlaces } from './declared-values.ts';
import { listMax, type Locators, type Root } from './locate.ts';
import type { Place } from './place.ts';
import { numbersIn, shownNumbers } from './numbers.ts';
import { seam, shownText } from './shown-text.ts';
import {
  type FieldProblem,
  type PageFormat,
  pageFormatOf,
  type SiteFormat,
  rawText,
  type Read,
  typedValue,
} from './typed-value.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** What the page says of itself, for its record. */
export interface RecordPage {
  readonly document: Document;
  /** Declarations of the page's subject, the surest first. */
  readonly subjects: readonly Thing[];
  /** One of them that may not be the subject: there is no other. */
  readonly only?: Thing | undefined;
  readonly follow: (value: unknown) => unknown;
  /** Texts of the title and the headings. */
  readonly titles: readonly string[];
  readonly language: string;
  readonly currency: string | undefined;
  readonly resolve: (reference: string) => string | undefined;
  /** How its site writes what could be read in two ways. */
  readonly site?: SiteFormat | undefined;
}

export interface ExtractedRecord {
  /** Null if the page has no record. */
  readonly extracted: Json;
  readonly from: ExtractedFrom;
  /** Something that the page may have is not in the record. */
  readonly isIncomplete: boolean;
  readonly found: FoundPaths;
}

/** Fields that the page has, by their paths such as `reviews.by`, and whether one has a value. */
export type FoundPaths = Readonly<Record<string, boolean>>;

/** Where the values of a record come from. */
export interface ExtractedFrom {
  /** Version of learned rules; 0: nothing was learned. */
  readonly rules: number;
  readonly fields: Readonly<Record<string, { readonly source: Source; readonly raw?: string }>>;
  readonly problems: Readonly<Record<string, FieldProblem>>;
  /** Declared values are those of the only thing that the page declares, whatever its name. */
  readonly certainty?: 'only';
  /** Changes only when the record does. */
  readonly hash: string;
}

export type Source = 'declared' | 'css' | 'learned' | 'model';

/** Bytes of a record as JSON. */
export const recordBytesMax = 64 * 1024;
/** Objects of a record, nested ones included: more do not fit in its bytes. */
const objectsMax = 6_000;
const rawLengthMax = 200;
const problemsMax = 100;
const numberTypes = /^(?:number|integer|price)$/;

/** What was found of a field, not yet of its type. */
type Found =
  | {
      readonly kind: 'values';
      readonly source: Source;
      readonly tries: readonly Try[];
      readonly isCut: boolean;
    }
  | {
      readonly kind: 'objects';
      readonly source: Source;
      readonly objects: readonly FoundFields[];
      readonly isCut: boolean;
    }
  | { readonly kind: 'nothing' };
type FoundFields = readonly { readonly field: Field; readonly found: Found }[];

interface Try {
  readonly locator: Locator | undefined;
  readonly places: readonly Place[];
}

/** `isExpected`: the client says that the page has a record. Never throws: a page that takes too long is cut. */
export function readRecord(
  fields: readonly Field[],
  locators: Locators,
  page: RecordPage,
  isExpected: boolean,
): ExtractedRecord {
  startSelecting();
  locators.begin();
  const finder = new Finder(locators, page);
  const found = finder.fields(
    fields,
    page.document,
    page.subjects.map(({ values }) => values),
  );
  const writer = new Writer(pageFormatOf(textsOf(found), page), page.document);
  const record = writer.object(found, '');
  if (finder.isCut) writer.problem('*', 'cut');
  const fitting = withinBytes(record, writer);
  const isRecord =
    Object.values(fitting).some((value) => value !== null) && (isExpected || saysMore(found, page.titles, fields));
  const extracted = isRecord ? fitting : null;
  const { problems, sources } = writer;
  const isCut = [...problems.values()].includes('cut');
  return {
    extracted,
    from: {
      rules: 0,
      fields: isRecord ? Object.fromEntries(sources) : {},
      problems: isRecord || isCut ? Object.fromEntries(problems) : {},
      ...(isRecord && page.only && isDeclared(sources) && { certainty: 'only' }),
      hash: recordHash(extracted),
    },
    isIncomplete: isRecord
      ? [...problems.values()].some((problem) => problem !== 'missing') ||
        fields.some(({ name, isRequired }) => isRequired && fitting[name] === null)
      : isExpected || isCut,
    found: Object.fromEntries(writer.found),
  };
}

function isDeclared(sources: ReadonlyMap<string, { readonly source: Source }>): boolean {
  return [...sources.values()].some(({ source }) => source === 'declared');
}

export function recordHash(record: Json): string {
  return hash('sha256', JSON.stringify(record), 'base64url').slice(0, 22);
}

/** A page on which only its title was found has no record, unless the title is all that is asked for. */
function saysMore(found: FoundFields, titles: readonly string[], fields: readonly Field[]): boolean {
  if (fields.length === 1) return true;
  const known = new Set(titles.map((title) => title.toLowerCase()));
  return found.some(({ field, found: one }) => {
    if (one.kind === 'objects') return one.objects.length > 0;
    if (one.kind === 'nothing') return false;
    const says = (place: Place): boolean => !known.has(rawText(place, field.type).toLowerCase());
    return one.tries.some(({ places: [place] }) => place !== undefined && says(place));
  });
}

class Finder {
  isCut = false;
  #objectsLeft = objectsMax;
  readonly #locators: Locators;
  readonly #page: RecordPage;

  constructor(locators: Locators, page: RecordPage) {
    this.#locators = locators;
    this.#page = page;
  }

  fields(
    fields: readonly Field[],
    root: Root | undefined,
    things: readonly Readonly<Record<string, unknown>>[],
  ): FoundFields {
    return fields.map((field) => ({ field, found: this.#find(field, root, things) }));
  }

  #find(field: Field, root: Root | undefined, things: readonly Readonly<Record<string, unknown>>[]): Found {
    const isDeclared = field.declaredFirst === true && field.isInSchema;
    const declared = isDeclared ? this.#declared(field, things) : undefined;
    if (declared && declared.kind !== 'nothing') return declared;
    const located = root && field.alternatives.length > 0 ? this.#located(field, root) : undefined;
    if (located) return located;
    return field.isInSchema ? this.#declared(field, things) : { kind: 'nothing' };
  }

  #located(field: Field, root: Root): Found | undefined {
    // After the time limit nothing more is looked for.
    if (this.isCut) return undefined;
    const source = field.isLearned === true ? 'learned' : 'css';
    try {
      const max = field.isList ? listMax + 1 : 1;
      const [first] = field.alternatives;
      if (field.fields && first) {
        const inner = field.fields;
        const containers = this.#locators.elements(first.css, root, max);
        if (containers.length === 0) return undefined;
        const taken = this.#take(containers.slice(0, listMax));
        const objects = taken.map((container) => this.fields(inner, container, []));
        return { kind: 'objects', source, objects, isCut: containers.length > taken.length };
      }
      const tries = field.alternatives
        .map((locator) => ({ locator, places: this.#locators.places(locator, root, max) }))
        .filter(({ places }) => places.length > 0);
      if (tries.length === 0) return undefined;
      const isCut = tries.some(({ places }) => places.length > listMax);
      return {
        kind: 'values',
        source,
        tries: tries.map(({ locator, places }) => ({ locator, places: places.slice(0, listMax) })),
        isCut,
      };
    } catch (error) {
      if (!(error instanceof ParseBudgetError)) throw error;
      this.isCut = true;
      return undefined;
    }
  }

  /** A thing can refer to itself, so nested lists could grow without end. */
  #take<One>(all: readonly One[]): readonly One[] {
    const taken = all.slice(0, this.#objectsLeft);
    this.#objectsLeft -= taken.length;
    return taken;
  }

  #declared(field: Field, things: readonly Readonly<Record<string, unknown>>[]): Found {
    const { follow } = this.#page;
    if (field.fields) {
      const inner = field.fields;
      const objects = firstOf(things, (values) => declaredObjects(field, values, follow));
      const taken = this.#take(objects).map((one) => this.fields(inner, undefined, [one]));
      return objects.length === 0
        ? { kind: 'nothing' }
        : { kind: 'objects', source: 'declared', objects: taken, isCut: objects.length > taken.length };
    }
    // Two things can each have a price.
    const places =
      numberTypes.test(field.type) && !field.isList
        ? lowest(things.flatMap((values) => declaredPlaces(field, values, follow)))
        : firstOf(things, (values) => declaredPlaces(field, values, follow));
    if (places.length === 0) return { kind: 'nothing' };
    return { kind: 'values', source: 'declared', tries: [{ locator: undefined, places }], isCut: false };
  }
}

function firstOf<One, Found>(all: readonly One[], find: (one: One) => readonly Found[]): readonly Found[] {
  for (const one of all) {
    const found = find(one);
    if (found.length > 0) return found;
  }
  return [];
}

/** The lowest of several numbers, as `lowPrice` is; it says that there are others. */
function lowest(places: readonly Place[]): readonly Place[] {
  const [first] = places;
  if (places.every(({ text }) => text === first?.text || Number(text) === Number(first?.text)))
    return places.slice(0, 1);
  const [least = first] = places.toSorted((one, other) => Number(one.text) - Number(other.text));
  return least ? [{ ...least, isChoice: true }] : [];
}

/** Texts that tell how the page writes numbers and dates. What it declares is written for programs. */
function textsOf(found: FoundFields): { readonly numbers: readonly string[]; readonly dates: readonly string[] } {
  const numbers: string[] = [];
  const dates: string[] = [];
  const visit = (all: FoundFields): void => {
    for (const { field, found: one } of all) {
      if (one.kind === 'objects') for (const object of one.objects) visit(object);
      if (one.kind !== 'values' || one.source === 'declared') continue;
      const texts = field.type === 'date' ? dates : numberTypes.test(field.type) ? numbers : undefined;
      if (texts) for (const { places } of one.tries) texts.push(...places.map((place) => rawText(place, field.type)));
    }
  };
  visit(found);
  return { numbers, dates };
}

class Writer {
  readonly sources = new Map<string, { readonly source: Source; readonly raw?: string }>();
  readonly problems = new Map<string, FieldProblem>();
  readonly found = new Map<string, boolean>();
  readonly #format: PageFormat;
  readonly #document: Document;
  /** Numbers that the page shows. */
  #shown: ReadonlySet<number> | undefined;

  constructor(format: PageFormat, document: Document) {
    this.#format = format;
    this.#document = document;
  }

  problem(name: string, problem: FieldProblem): void {
    if (this.problems.size < problemsMax) this.problems.set(name, problem);
  }

  object(found: FoundFields, path: string): Record<string, Json> {
    return Object.fromEntries(
      found.map(({ field, found: one }) => {
        const value = this.#value(field, one, `${path}${field.name}`);
        if (one.kind !== 'nothing') this.#note(`${path}${field.name}`, value);
        return [field.name, value];
      }),
    );
  }

  #note(path: string, value: Json): void {
    const known = path.replaceAll(/\[\d+\]/g, '');
    this.found.set(known, value !== null || this.found.get(known) === true);
  }

  #value(field: Field, found: Found, path: string): Json {
    if (found.kind === 'nothing') {
      this.problem(path, 'missing');
      return null;
    }
    if (found.isCut) this.problem(path, 'cut');
    if (found.kind === 'objects') {
      this.#source(path, found.source);
      const objects = found.objects.map((object, index) =>
        this.object(object, field.isList ? `${path}[${index}].` : `${path}.`),
      );
      return field.isList ? objects : (objects[0] ?? null);
    }
    if (!field.isList) return this.#first(field, found, path);
    const [first] = found.tries;
    this.#source(path, found.source);
    return (first?.places ?? []).map((place, index) => {
      const read = this.#read(field, place, first?.locator, `${path}[${index}]`);
      if (read.kind === 'value') return read.value as Json;
      this.problem(`${path}[${index}]`, read.problem);
      return null;
    });
  }

  /** The first alternative with a value of the type. */
  #first(field: Field, { tries, source }: Extract<Found, { kind: 'values' }>, path: string): Json {
    let failed: { readonly place: Place; readonly problem: 'type' | 'ambiguous' } | undefined;
    for (const { locator, places } of tries) {
      const [place] = places;
      if (!place) continue;
      const read = this.#read(field, place, locator, path);
      if (read.kind === 'value') {
        this.#source(path, source, rawText(place, field.type));
        return read.value as Json;
      }
      failed ??= { place, problem: read.problem };
    }
    if (failed) {
      this.#source(path, source, rawText(failed.place, field.type));
      this.problem(path, failed.problem);
    }
    return null;
  }

  #read(field: Field, place: Place, locator: Locator | undefined, path: string): Read {
    const read = this.#readAs(field, place, locator);
    if (read.kind === 'value' && (read.problem || place.isChoice === true)) this.problem(path, 'ambiguous');
    return read;
  }

  #readAs(field: Field, place: Place, locator: Locator | undefined): Read {
    if (locator) return typedValue(place, field, locator, this.#format);
    const text = place.text ?? '';
    if (field.type === 'boolean') {
      const value = declaredBoolean(text);
      return value === undefined ? { kind: 'problem', problem: 'type' } : { kind: 'value', value };
    }
    if (numberTypes.test(field.type) && this.#isShownOtherwise(text)) return { kind: 'problem', problem: 'ambiguous' };
    return typedValue(place, field, {}, this.#format);
  }

  /** Shops write `1.299` into declarations where the page shows 1299. */
  #isShownOtherwise(text: string): boolean {
    const { language, decimal } = this.#format.number;
    const [first] = numbersIn(text, language);
    if (first?.shape.kind !== 'ambiguous') return false;
    const { asWhole } = first.shape;
    const marks = decimal === undefined ? (['.', ','] as const) : [decimal];
    this.#shown ??= shownNumbers(shownText(this.#document.children), language, marks);
    return this.#shown.has(asWhole);
  }

  #source(path: string, source: Source, raw?: string): void {
    if (this.sources.size >= problemsMax || path.includes('[')) return;
    this.sources.set(path, {
      source,
      ...(raw !== undefined && { raw: raw.replaceAll(seam, '').slice(0, rawLengthMax).toWellFormed() }),
    });
  }
}

/** Shortens lists from their ends, then leaves out the largest values, until the record fits. */
export function withinBytes(
  record: Record<string, Json>,
  writer: { problem(name: string, problem: FieldProblem): void },
): Record<string, Json> {
  const fitting = { ...record };
  for (;;) {
    const sizes = Object.entries(fitting).map(
      ([name, value]) => [name, Buffer.byteLength(JSON.stringify(value))] as const,
    );
    const total = sizes.reduce((sum, [name, size]) => sum + size + name.length + 4, 2);
    if (total <= recordBytesMax) return fitting;
    const [name = ''] = sizes.toSorted(([, one], [, other]) => other - one)[0] ?? [];
    const value = fitting[name] ?? null;
    writer.problem(name, 'cut');
    const shorter: Json =
      Array.isArray(value) && value.length > 1
        ? (value as readonly Json[]).slice(0, Math.floor(value.length / 2))
        : null;
    fitting[name] = shorter;
  }
}
