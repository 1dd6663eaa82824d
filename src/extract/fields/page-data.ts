/** Reads the structured data of a page as a job wants it: its record, and what it declares. */
import type { ExtractOption, Field } from '../../core/extract.ts';
import { fieldsOf } from '../../core/extract.ts';
import { type DeclaredThing, declaredThings, type SourcedThing } from '../declared/declared-things.ts';
import { mainThings, onlyThing } from '../declared/main-things.ts';
import { openGraphThing } from '../declared/open-graph.ts';
import { pageSubject } from '../declared/page-subject.ts';
import type { OpenPage } from '../open-page.ts';
import { Locators } from './locate.ts';
import { declaredPlaces } from './declared-values.ts';
import { type ExtractedFrom, type FoundPaths, type Json, readRecord, type RecordPage } from './read-record.ts';

/** What a job wants of its pages, ready for many of them. */
export interface WantedData {
  readonly fields: readonly Field[];
  readonly locators: Locators;
  readonly declared: boolean;
  readonly things: boolean;
  /** The client names the pages that have a record. */
  readonly hasWhen: boolean;
}

export interface PageData {
  /** Null if the page has no record. Absent if the job wants none. */
  readonly extracted?: Json;
  readonly metadata: DataMetadata;
  readonly isIncomplete: boolean;
  /** Null if the URL is none of those that have a record. Absent if the job wants none. */
  readonly found?: FoundPaths | null;
  /** Scripts with JSON-LD that could not be read, or only in part. */
  readonly unreadable: number;
}

export interface DataMetadata {
  readonly extractedFrom?: ExtractedFrom;
  readonly declaredThings?: readonly DeclaredThing[];
  readonly declaredThingsOmitted?: number;
}

export function wantedData(option: ExtractOption): WantedData {
  const fields = fieldsOf(option);
  return {
    fields,
    locators: new Locators(fields),
    declared: option.declared,
    things: option.declared_things,
    hasWhen: option.when.length > 0,
  };
}

/** `isWanted`: the URL is one of those that have a record. */
export function readPageData(wanted: WantedData, isWanted: boolean, page: OpenPage): PageData {
  const readsDeclared = wanted.things || (wanted.declared && isWanted);
  const declarations = readsDeclared ? declarationsOf(page) : noDeclarations;
  const shown = wanted.things ? declaredThings(declarations.all, declarations.subjects) : undefined;
  const metadata: DataMetadata = {
    ...(shown && { declaredThings: shown.things }),
    ...(shown && shown.omitted > 0 && { declaredThingsOmitted: shown.omitted }),
  };
  const unreadable = readsDeclared ? page.statements.things.unreadable : 0;
  const usual = { metadata, isIncomplete: false, unreadable };
  if (wanted.fields.length === 0) return usual;
  if (!isWanted) return { ...usual, extracted: null, found: null };
  const recordPage = recordPageOf(page, wanted.declared, declarations);
  const { from, ...record } = readRecord(wanted.fields, wanted.locators, recordPage, wanted.hasWhen);
  return { ...usual, ...record, metadata: { ...metadata, extractedFrom: from } };
}

interface Declarations {
  readonly all: readonly SourcedThing[];
  readonly subjects: readonly SourcedThing[];
  /** One of the subjects, for no other reason than that there is no other thing. */
  readonly only: SourcedThing | undefined;
}

const noDeclarations: Declarations = { all: [], subjects: [], only: undefined };

function declarationsOf({ elements, urls, statements: { things, marked } }: OpenPage): Declarations {
  const openGraph = openGraphThing(elements.metas);
  const stated = [
    ...things.all.map((thing): SourcedThing => ({ ...thing, source: 'json-ld' })),
    ...(marked?.() ?? []).map(({ markup, types, values }): SourcedThing => ({ types, values, source: markup })),
  ];
  const all = [...stated, ...(openGraph ? [{ ...openGraph, source: 'opengraph' as const }] : [])];
  const subjects = mainThings(all, pageSubject(elements, urls));
  const only = subjects.some(({ source }) => source !== 'opengraph') ? undefined : onlyThing(stated);
  return { all, subjects: only ? [only, ...subjects] : subjects, only };
}

/** What the page says of itself, for its record. The last: its declarations, if they were read before. */
export function recordPageOf(page: OpenPage, declared: boolean, known?: Declarations): RecordPage {
  const { document, elements, urls, statements, metadata } = page;
  const { subjects, only } = declared ? (known ?? declarationsOf(page)) : noDeclarations;
  const { follow } = statements.things;
  const { language } = metadata;
  return {
    document,
    subjects,
    only,
    follow,
    titles: [
      metadata.title,
      ...[metadata['headline']].filter((one) => typeof one === 'string'),
      ...pageSubject(elements, urls).headings.map((text) => text.replace(/\s+/g, ' ').trim()),
    ],
    language: typeof language === 'string' ? language : '',
    currency: currencyOf(subjects, follow),
    resolve: urls.readable,
  };
}

function currencyOf(subjects: readonly SourcedThing[], follow: (value: unknown) => unknown): string | undefined {
  for (const { values } of subjects) {
    const [place] = declaredPlaces({ name: 'currency', type: 'text', isList: false }, values, follow);
    if (place) return place.text;
  }
  return undefined;
}
