/** A page whose record is known, as learning reads it. */
import type { Field } from '../../core/extract.ts';
import { knownLanguage } from '../fields/currencies.ts';
import { Locators } from '../fields/locate.ts';
import { recordPageOf } from '../fields/page-data.ts';
import { type Json, readRecord } from '../fields/read-record.ts';
import type { PageFormat } from '../fields/typed-value.ts';
import type { OpenPage } from '../open-page.ts';

/** Both marks of decimals, and both orders of days: the answer decides. */
export function formatsOf({ urls, metadata }: OpenPage): readonly PageFormat[] {
  const { language } = metadata;
  return (['.', ','] as const).map((decimal) => ({
    number: { decimal, isSeen: true, language: knownLanguage(typeof language === 'string' ? language : '') },
    dayOrder: decimal === '.' ? 'month' : 'day',
    currency: undefined,
    resolve: urls.readable,
  }));
}

/** What the page declares for the fields. */
export function declaredValuesOf(page: OpenPage, fields: readonly Field[]): Readonly<Record<string, Json>> {
  const stated = fields.map((field) => ({ ...field, alternatives: [] }));
  const { extracted } = readRecord(stated, new Locators(stated), recordPageOf(page, true), true);
  return typeof extracted === 'object' && extracted !== null && !Array.isArray(extracted)
    ? (extracted as Readonly<Record<string, Json>>)
    : {};
}
