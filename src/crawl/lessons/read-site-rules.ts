// What a job learned, for people and for its next run.
import type { Lessons } from '../../core/ports/lessons.ts';
import type { FieldRules, ReadSiteRules, SiteRules } from '../../core/ports/site-rules.ts';
import type { LearnedField } from '../../extract/learn/rules.ts';
import { type AskedPage, siteView } from '../../extract/learn/site-view.ts';
import { unpackRules } from './site-lessons.ts';

export function siteRulesReader(lessons: Pick<Lessons, 'list'>): ReadSiteRules {
  return async (jobId) => (await lessons.list(jobId)).map(({ site, data }) => rulesOf(site, data));
}

function rulesOf(site: string, data: Uint8Array): SiteRules {
  const { pages, rules } = unpackRules(data);
  const { templates } = siteView(site, pages, rules);
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
