import { UserError } from '../core/errors.ts';
import {
  type ExtractOption,
  type Field,
  fieldPaths,
  fieldsOf,
  type LocatedFields,
  type Locator,
} from '../core/extract.ts';
import type { ReadSiteRules, SiteRules } from '../core/ports/site-rules.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { getKept } from './get-job.ts';

export interface JobRules {
  /** Pages that were read for a record. */
  readonly pages: number;
  /** How many of them have a value, by the path of its field. */
  readonly values: Readonly<Record<string, number>>;
  readonly sites: readonly SiteRules[];
  /** For `fields` of another job: it reads the same places, and needs no model. */
  readonly fields: LocatedFields;
}

/** As many alternatives as a field may have. */
const alternativesMax = 10;

/** Where the values of a job stand, and how many there are. Throws a `UserError` if the job extracts nothing. */
export async function readRules(
  { jobs, siteRules }: { readonly jobs: JobStore; readonly siteRules: ReadSiteRules },
  org: string,
  id: string,
): Promise<JobRules> {
  const { spec, records } = await getKept(jobs, org, id);
  const { extract } = spec;
  if (extract === null) throw new UserError('no_records', 'The job has no `extract`, so its pages have no records.');
  const sites = await siteRules(id);
  const values = fieldPaths(fieldsOf(extract)).map(([path]) => [path, records.values[path] ?? 0] as const);
  return { ...records, values: Object.fromEntries(values), sites, fields: fieldsForNext(extract, sites) };
}

/** The places of all sites of a job, and those that it was given. */
export function fieldsForNext(extract: ExtractOption, sites: readonly SiteRules[]): LocatedFields {
  const learned = fieldsOf(extract).flatMap((field): [string, readonly Locator[]][] => {
    if (Object.hasOwn(extract.fields, field.name)) return [];
    const found = sites.flatMap(({ fields }) =>
      Object.hasOwn(fields, field.name) ? (fields[field.name]?.locators ?? []) : [],
    );
    const places = found.map((locator) => pointed(locator, field));
    const distinct = [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
    // A value of two is told apart only by a map.
    const usable = field.type === 'boolean' ? distinct.filter(({ map }) => map !== undefined) : distinct;
    return usable.length === 0 ? [] : [[field.name, usable.slice(0, alternativesMax)]];
  });
  return { ...extract.fields, ...Object.fromEntries(learned) };
}

/** Alternatives of a field have one type. */
function pointed(locator: Locator, { type, isList }: Field): Locator {
  return { ...locator, ...(type !== 'text' && { type }), ...(isList && { list: true }) };
}
