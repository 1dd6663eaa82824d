/** Reads the structured data of a page as a job wants it: its record, and what it declares. */
import type { Document } from 'domhandler';
import type { ExtractOption, Field } from '../../core/extract.ts';
import { fieldsOf } from '../../core/extract.ts';
import type { PageMetadata } from '../../core/page.ts';
import { type DeclaredThing, declaredThings, type SourcedThing } from '../declared/declared-things.ts';
import { mainThings } from '../declared/main-things.ts';
import { openGraphThing } from '../declared/open-graph.ts';
import { pageSubject } from '../declared/page-subject.ts';
import { markedThings, mayHoldMarkup } from '../declared/marked-things.ts';
import type { PageStatements } from '../scan/page-statements.ts';
import type { PageUrls } from '../scan/page-urls.ts';
import type { PageElements } from '../scan/scan-page.ts';
import { Locators } from './locate.ts';
import { declaredPlaces } from './declared-values.ts';
import { type ExtractedFrom, type Json, readRecord } from './read-record.ts';

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
export function readPageData(
  wanted: WantedData,
  isWanted: boolean,
  page: {
    readonly document: Document;
    readonly ascii: string;
    readonly elements: PageElements;
    readonly urls: PageUrls;
    readonly statements: PageStatements;
    readonly metadata: PageMetadata;
  },
): PageData {
  const { document, ascii, elements, urls, statements, metadata } = page;
  const { things } = statements;
  const readsDeclared = wanted.things || (wanted.declared && isWanted);
  const all = readsDeclared ? allThings() : [];
  const subject = pageSubject(elements, urls);
  const subjects = mainThings(all, subject);
  const unreadable = readsDeclared ? things.unreadable : 0;
  const shown = wanted.things ? declaredThings(all, subjects) : undefined;
  const thingsMetadata: DataMetadata = {
    ...(shown && { declaredThings: shown.things }),
    ...(shown && shown.omitted > 0 && { declaredThingsOmitted: shown.omitted }),
  };
  if (wanted.fields.length === 0) return { metadata: thingsMetadata, isIncomplete: false, unreadable };
  if (!isWanted) return { extracted: null, metadata: thingsMetadata, isIncomplete: false, unreadable };
  const declared = wanted.declared ? subjects : [];
  const { language } = metadata;
  const record = readRecord(
    wanted.fields,
    wanted.locators,
    {
      document,
      subjects: declared,
      follow: things.follow,
      titles: [
        metadata.title,
        ...[metadata['headline']].filter((one) => typeof one === 'string'),
        ...subject.headings.map((text) => text.replace(/\s+/g, ' ').trim()),
      ],
      language: typeof language === 'string' ? language : '',
      currency: currencyOf(subjects),
      resolve: urls.readable,
    },
    wanted.hasWhen,
  );
  return {
    extracted: record.extracted,
    metadata: { ...thingsMetadata, extractedFrom: record.from },
    isIncomplete: record.isIncomplete,
    unreadable,
  };

  function allThings(): SourcedThing[] {
    const openGraph = openGraphThing(elements.metas);
    const marked = mayHoldMarkup(ascii) ? markedThings(document, urls.readable) : [];
    return [
      ...things.all.map((thing): SourcedThing => ({ ...thing, source: 'json-ld' })),
      ...marked.map(({ markup, types, values }): SourcedThing => ({ types, values, source: markup })),
      ...(openGraph ? [{ ...openGraph, source: 'opengraph' as const }] : []),
    ];
  }

  function currencyOf(declaredSubjects: readonly SourcedThing[]): string | undefined {
    for (const { values } of declaredSubjects) {
      const [place] = declaredPlaces(currencyField, values, things.follow);
      if (place) return place.text;
    }
    return undefined;
  }
}

const currencyField: Field = {
  name: 'currency',
  type: 'text',
  isList: false,
  isRequired: false,
  fields: undefined,
  alternatives: [],
  allowed: undefined,
  isInSchema: true,
};
