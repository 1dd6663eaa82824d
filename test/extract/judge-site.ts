// Reads a made-up site as a job with a model does, without a network, and compares with the truth.
import { fieldsOf } from '../../src/core/extract.ts';
import type { ExtractOption } from '../../src/core/extract.ts';
import { wantedData } from '../../src/extract/fields/page-data.ts';
import { lessonOf } from '../../src/extract/learn/lesson.ts';
import { type LearnedRecord, readLearned } from '../../src/extract/learn/read-learned.ts';
import { noRules, type Sample } from '../../src/extract/learn/rules.ts';
import { type AskedPage, siteView } from '../../src/extract/learn/site-view.ts';
import { sameValue } from '../../src/extract/learn/same-value.ts';
import { type OpenPage, openPage } from '../../src/extract/open-page.ts';
import { randomBy, type RecordPage, type RecordSite, type Truth } from './record-sites.ts';

export interface Judged {
  readonly name: string;
  readonly f1: number;
  readonly precision: number;
  /** Wrong values without a problem, of all values. */
  readonly silent: number;
  readonly calls: number;
  /** Values on pages without a record. */
  readonly foreign: number;
  readonly wrong: readonly string[];
}

export function judgeSite(
  site: RecordSite,
  { noise, seed }: { readonly noise: number; readonly seed: number },
): Judged {
  const random = randomBy(seed);
  const option = { schema: site.schema, fields: {}, declared: true, declared_things: false, when: [] } as ExtractOption;
  const fields = fieldsOf(option);
  const wanted = wantedData(option);
  const open = ({ url, html }: Pick<Sample, 'url' | 'html'>): OpenPage =>
    openPage(
      html,
      { url, headers: { link: '', refresh: '', contentLanguage: '' }, robotsTag: new Set(), content: 'auto' },
      true,
    );
  const samples: Sample[] = [];
  const asked: AskedPage[] = [];
  let rules = noRules;
  let view = siteView('0', asked, rules);
  let [right, given, due, silent, foreign] = [0, 0, 0, 0, 0];
  const wrong: string[] = [];
  const truths = Object.values(site.pages).flatMap(({ truth }): Truth[] => (truth === null ? [] : [truth]));
  /** Reads a page with what is known when it comes; the model is asked about it first if that is too little. */
  const read = (path: string, page: RecordPage): LearnedRecord => {
    const url = `https://site.example${path}`;
    const first = readLearned(wanted, open({ url, html: page.html }), url, view, undefined);
    const { verdict, signature } = first;
    if (verdict.kind !== 'ask') return first;
    const told = page.truth === null ? { title: null } : noisy(page.truth, truths, noise, random);
    const lesson = lessonOf(told, { url, html: page.html }, { samples, rules }, option, fields, open);
    if (!lesson) throw new Error('no lesson');
    samples.push({ url, html: page.html, answer: lesson.answer });
    asked.push({ ...lesson, url, signature, template: verdict.template });
    ({ rules } = lesson);
    view = siteView(String(asked.length), asked, rules);
    return readLearned(wanted, open({ url, html: page.html }), url, view, lesson);
  };
  for (const [path, page] of Object.entries(site.pages)) {
    const { extracted, from } = read(path, page);
    const values = (extracted ?? {}) as Record<string, never>;
    for (const { name, type } of fields) {
      const truth = (page.truth?.[name] ?? null) as never;
      const value = values[name] ?? null;
      if (truth !== null) due++;
      if (value !== null) given++;
      if (value !== null && page.truth === null) foreign++;
      if (value !== null && sameValue(value, truth, type)) right++;
      else if (value !== null || truth !== null) {
        const isTold = ['disagree', 'unasked', 'ambiguous', 'type'].includes(from.problems[name] ?? '');
        if (value !== null && !isTold) silent++;
        if (wrong.length < 40)
          wrong.push(
            `${path} ${name}: ${JSON.stringify(value)} for ${JSON.stringify(truth)} (${from.fields[name]?.source ?? '-'}, ${from.problems[name] ?? '-'}, v${from.rules}, ${asked.length})`,
          );
      }
    }
  }
  const precision = right / Math.max(1, given);
  const recall = right / Math.max(1, due);
  return {
    name: site.name,
    f1: (2 * precision * recall) / (precision + recall),
    precision,
    silent: silent / due,
    calls: asked.length,
    foreign,
    wrong,
  };
}

/** A third of the wrong values are missing, a third are of another record, a third are other values of the page. */
function noisy(truth: Truth, truths: readonly Truth[], noise: number, random: () => number): Truth {
  return Object.fromEntries(
    Object.entries(truth).map(([name, value]) => {
      if (random() >= noise) return [name, value];
      const kind = random() * 3;
      if (kind < 1) return [name, null];
      if (kind < 2) return [name, truths[Math.floor(random() * truths.length)]?.[name] ?? null];
      const others = Object.entries(truth).filter(([other, one]) => other !== name && typeof one === typeof value);
      return [name, typeof value === 'boolean' ? !value : (others[Math.floor(random() * others.length)]?.[1] ?? null)];
    }),
  );
}
