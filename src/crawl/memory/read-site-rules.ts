// What a job learned, for people and for its next run.
import type { Lessons } from '../../core/ports/lessons.ts';
import type { FieldRules, ReadSiteRules, SiteRules } from '../../core/ports/site-rules.ts';
import type { LearnedField } from '../../extract/learn/rules.ts';
import type { AskedPage } from '../../extract/learn/site-view.ts';
import { type SiteLessons, unpackLessons } from './site-lessons.ts';

export function siteRulesReader(lessons: Pick<Lessons, 'list'>): ReadSiteRules {
  return async (jobId) =>
    (await lessons.list(jobId)).map(({ site, ...stored }) => rulesOf(site, unpackLessons(site, stored)));
}

function rulesOf(site: string, { pages, rules, view: { templates } }: SiteLessons): SiteRules {
  return {
    site,
    version: rules.version,
    asked: pages.length,
    decimal: rules.decimal ?? null,
    dayOrder: rules.dayOrder ?? null,
    templates: templates.map(({ asked, records, isSettled }, number) => ({
      example: pages.find(({ template }) => template === number)?.url ?? '',
      asked,
      records,
      isSettled,
    })),
    fields: Object.fromEntries(
      Object.entries(rules.fields).map(([name, learned]) => [name, fieldRules(name, learned, pages)]),
    ),
  };
}

function fieldRules(
  name: string,
  { locators, witness, declaredFirst, asked, right }: LearnedField,
  pages: readonly AskedPage[],
): FieldRules {
  const judged = pages.flatMap(({ misses }) => (misses ? [misses] : []));
  return {
    locators,
    witness: witness ?? null,
    declaredFirst,
    asked,
    right,
    judged: judged.length,
    misses: judged.filter((misses) => misses.includes(name)).length,
  };
}
