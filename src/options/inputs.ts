// Request schemas of each place, built from the rows of the table.
import { z } from 'zod';
import type { Option, Place } from './option.ts';
import { urlList } from './schemas.ts';
import { type OptionName, type Options, options } from './table.ts';

/** Names of a place's options, as that place spells them. */
type Shape<At extends Place> = {
  [Name in OptionName as At extends Options[Name]['places'][number] ? Spelt<Name, At> : never]: Options[Name]['schema'];
};

type Spelt<Name extends OptionName, At extends Place> = At extends 'scrape'
  ? Options[Name] extends { scrapeName: infer ScrapeName extends string }
    ? ScrapeName
    : Name
  : Name;

/** A row with its name in the request. */
export interface PlacedOption {
  readonly name: string;
  readonly option: Option;
}

/** The options of a place, in the order of the table. */
export function optionsOf(place: Place): readonly PlacedOption[] {
  return Object.entries<Option>(options)
    .filter(([, { places }]) => places.includes(place))
    .map(([name, option]) => ({ name: place === 'scrape' ? (option.scrapeName ?? name) : name, option }));
}

const notAnObject: Readonly<Record<Place, string>> = {
  crawl: 'Send a JSON object with at least `urls`.',
  scrape: 'Send a JSON object with at least `url`.',
  retry: 'Send a JSON object, or no body.',
  map: 'Send a JSON object with at least `url`.',
  batch: 'Send a JSON object with at least `urls`.',
  reextract: 'Send a JSON object, or no body.',
};

function schemaOf<At extends Place>(place: At) {
  const shape = Object.fromEntries(
    optionsOf(place).map(({ name, option }) => [name, option.schema.describe(aboutOf(option))]),
  );
  return z.strictObject(shape as unknown as Shape<At>, {
    error: (issue) => (issue.code === 'invalid_type' ? notAnObject[place] : undefined),
  });
}

/** Returns the fields of a request that a crawl also accepts, under a crawl's names. */
export function asJobFields(place: Place, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const taken = Object.entries<Option>(options).filter(
    ([, { places }]) => places.includes(place) && places.includes('crawl'),
  );
  return Object.fromEntries(
    taken.map(([name, { scrapeName }]) => [name, given[place === 'scrape' ? (scrapeName ?? name) : name]]),
  );
}

/** Returns the option's meaning, with its default if the schema has none. */
export function aboutOf({ about, defaultsTo }: Option): string {
  return defaultsTo === undefined ? about : `${about} Default: ${defaultsTo}.`;
}

export const jobInput = schemaOf('crawl');
/** For the documents: with `since`, `urls` can be left out. */
export const jobInputShown = jobInput.partial({ urls: true });
export const scrapeInput = schemaOf('scrape');
export const retryInput = schemaOf('retry');
export const reextractInput = schemaOf('reextract');
export const mapInput = schemaOf('map');
/** URLs of a batch at most. */
export const batchUrlsMax = 10_000;
export const batchInput = schemaOf('batch').extend({
  urls: urlList(batchUrlsMax).describe('The pages: http or https URLs. Without a scheme, `https://` is added.'),
});

/** Of a crawl with `since`, if that was a batch. */
export const sinceBatchInput = jobInput.extend({ urls: urlList(batchUrlsMax) });

/** With the options that a crawl does not take. */
export type JobInput = z.output<typeof jobInput> & {
  readonly url_timeout?: number | null;
  readonly error_pages?: boolean;
};
