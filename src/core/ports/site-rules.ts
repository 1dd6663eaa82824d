import type { z } from 'zod';
import type { Locator } from '../extract.ts';
import type { Builder } from '../resource.ts';

/** What a job learned of one site, as far as people need to see it. `place`: the schema of a locator. */
export const siteRules = (z: Builder, place: z.ZodType<Locator>) =>
  z.object({
    // `name:port` or `name`.
    site: z.string(),
    version: z.int().describe('Grows whenever a place changes; as `extractedFrom.rules` of a page.'),
    asked: z
      .int()
      .describe('Pages that the model was asked about; with `since`, also those of earlier jobs that it began with.'),
    decimal: z.enum(['.', ',']).nullable().describe('How the site writes decimals; `null`: no answer tells.'),
    dayOrder: z.enum(['day', 'month']).nullable().describe('What comes first in dates of numbers.'),
    templates: z
      .array(
        z.object({
          example: z.string().describe('The URL of a page of it.'),
          asked: z.int(),
          records: z.int().describe('Asked pages that have a record.'),
          isSettled: z.boolean().describe('Its pages are read without a question.'),
        }),
      )
      .readonly(),
    fields: z.record(
      z.string(),
      z.object({
        locators: z.array(place).readonly().describe('Places, of which the first one with a value counts.'),
        witness: place.nullable().describe('Another way to the value; where it differs, the model is asked.'),
        declaredFirst: z.boolean().describe('What the page declares comes first.'),
        asked: z.int().describe('Asked pages with a record.'),
        right: z.int().describe('Of these, pages on which the rules read the answer.'),
        judged: z.int().describe('Pages that were asked about after rules had read them.'),
        misses: z.int().describe('Of these, pages that the rules read otherwise.'),
      }),
    ),
  });
export type SiteRules = z.output<ReturnType<typeof siteRules>>;
export type FieldRules = SiteRules['fields'][string];

/** Reads what jobs learned. */
export type ReadSiteRules = (jobId: string) => Promise<readonly SiteRules[]>;
