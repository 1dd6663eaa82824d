import { describe, expect, test } from 'vitest';
import { jobSpec } from '../../test/job-spec.ts';
import { batchInput, jobInput, mapInput, optionsOf, reextractInput, retryInput, scrapeInput } from './inputs.ts';
import type { Option, Place } from './option.ts';
import { specOf } from './spec-of.ts';
import { options } from './table.ts';

const rows = Object.entries<Option>(options);
const urls = ['https://example.com/'];

describe('options', () => {
  test('options: each belongs to some request, and no two share a field or a flag', () => {
    const fields = rows.flatMap(([, { spec }]) => spec?.field ?? []);
    const flags = rows.flatMap(([, { flag }]) => flag?.flags ?? []);
    expect(rows.filter(([, { places }]) => places.length === 0)).toEqual([]);
    expect(fields).toHaveLength(new Set(fields).size);
    expect(flags).toHaveLength(new Set(flags).size);
  });

  test.each<readonly [Place, object]>([
    ['crawl', jobInput.shape],
    ['scrape', scrapeInput.shape],
    ['retry', retryInput.shape],
    ['map', mapInput.shape],
    ['batch', batchInput.shape],
    ['reextract', reextractInput.shape],
  ])('optionsOf: the schema of %s has the options of that place, each with a description', (place, shape) => {
    expect(Object.keys(shape)).toEqual(optionsOf(place).map(({ name }) => name));
    for (const schema of Object.values(shape))
      expect(schema).toHaveProperty('description', expect.stringMatching(/\w/));
  });

  test('options: each option of a job is stored, except those with a table of their own', () => {
    // Webhooks have their own table. `extract_object` is stored as `extract`, `since` as `baseline`, `advanced_proxy` as `proxy`.
    const elsewhere = ['webhook_url', 'link_crawling', 'extract_object', 'since', 'advanced_proxy'];
    const forgotten = optionsOf('crawl').filter(({ option }) => option.spec === undefined);
    expect(forgotten.map(({ name }) => name).toSorted()).toEqual(elsewhere.toSorted());
  });
});

describe('job specification', () => {
  test('specOf: returns the given options and the defaults of the others', () => {
    const spec = specOf(jobInput.parse({ urls, page_limit: 500, include_elements: ' ', exclude_elements: '.ad' }));
    expect(spec).toEqual(jobSpec({ pageLimit: 500, fetchLimit: 5_000, excludeElements: '.ad' }));
    expect(spec).toMatchObject({ urls, includeElements: null, minLength: 0, maxDepth: null });
  });
});
