// How right structured data is, on made-up pages whose truth is known, and what it costs.
//
//   node bench/extract.ts [--docs FOLDER] [seed...]
//
// declared: what pages declare of themselves, without a model, with neighbours and faults in the scripts. support: answers of a
// model that stand on the page, and answers that belong to another page. redesign: half of the pages of a site change their
// classes and headings after the other half was learned. cost: ten fields on a page of 87 KB, and what
// converting it costs without them. documentation: with --docs,
// such as /usr/share/doc, three generated documentations (openjdk-17-doc, rust-doc, python3-doc) of which ten pages are answered.
import { parseArgs } from 'node:util';
import { ownedCopy } from '../src/core/bytes/owned-bytes.ts';
import { type ExtractOption, fieldsOf } from '../src/core/extract.ts';
import { convertPage } from '../src/crawl/convert/convert-page.ts';
import type { PageInput } from '../src/crawl/convert/converter.ts';
import { briefOf } from '../src/crawl/job/job-cache.ts';
import { LearningConverter, type LearningParts } from '../src/crawl/memory/learning-converter.ts';
import { readFetchedHeaders } from '../src/fetch/response/response-head.ts';
import { compileJob } from '../src/url/scope.ts';
import { readPageData, type WantedData, wantedData } from '../src/extract/fields/page-data.ts';
import { selectElements } from '../src/extract/html/select-elements.ts';
import { lessonOf } from '../src/extract/learn/lesson.ts';
import { readAnswer } from '../src/extract/learn/read-answer.ts';
import { type PageAnswer, readLearned } from '../src/extract/learn/read-learned.ts';
import { type LearnedRules, noRules, type Sample } from '../src/extract/learn/rules.ts';
import { sameValue } from '../src/extract/learn/same-value.ts';
import { type AskedPage, type SiteView, siteView } from '../src/extract/learn/site-view.ts';
import { type OpenPage, openPage } from '../src/extract/open-page.ts';
import { jobSpec } from '../test/job-spec.ts';
import { randomBy, recordSites, type Truth } from '../test/extract/record-sites.ts';
import { declaredPages, declaredSchema } from './declared-pages.ts';
import { documentations } from './documented-pages.ts';

const open = ({ url, html }: { readonly url: string; readonly html: string }): OpenPage =>
  openPage(
    html,
    { url, headers: { link: '', refresh: '', contentLanguage: '' }, robotsTag: new Set(), content: 'auto' },
    true,
  );
const optionOf = (schema: object, fields: object = {}): ExtractOption =>
  ({ schema, fields, declared: true, declared_things: false, when: [] }) as unknown as ExtractOption;
const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;

class Score {
  right = 0;
  given = 0;
  due = 0;

  add(value: unknown, truth: unknown, type: Parameters<typeof sameValue>[2]): boolean {
    const [one, other] = [value ?? null, truth ?? null] as [never, never];
    if (one !== null) this.given++;
    if (other !== null) this.due++;
    const isRight = sameValue(one, other, type);
    if (isRight && one !== null) this.right++;
    return isRight;
  }

  get precision(): number {
    return this.right / Math.max(1, this.given);
  }

  get recall(): number {
    return this.right / Math.max(1, this.due);
  }

  get f1(): number {
    return (2 * this.right) / Math.max(1, this.given + this.due);
  }
}

function declared(seed: number): string {
  const score = new Score();
  const option = optionOf(declaredSchema);
  const [wanted, fields] = [wantedData(option), fieldsOf(option)];
  const wrong = new Map<string, string>();
  for (const { url, html, truth, form } of declaredPages(randomBy(seed), 600)) {
    const { extracted } = readPageData(wanted, true, open({ url, html }));
    const values = (extracted ?? {}) as Truth;
    for (const { name, type } of fields)
      if (!score.add(values[name], truth[name], type))
        wrong.set(`${form} ${name}`, `${JSON.stringify(values[name])} for ${JSON.stringify(truth[name])}`);
  }
  const examples = [...wrong].slice(0, 8).map(([where, what]) => `\n    ${where}: ${what}`);
  return `precision ${score.precision.toFixed(3)}, recall ${score.recall.toFixed(3)} of ${score.due} values${examples.join('')}`;
}

function support(seed: number): string {
  let [kept, held, caught, foreign] = [0, 0, 0, 0];
  const random = randomBy(seed);
  for (const site of recordSites(seed)) {
    const fields = fieldsOf(optionOf(site.schema));
    const pages = Object.entries(site.pages).flatMap(([path, { html, truth }]) =>
      truth ? [{ path, html, truth }] : [],
    );
    for (const { path, html, truth } of pages) {
      const page = open({ url: `https://site.example${path}`, html });
      const own = readAnswer(truth, fields, page);
      const other = pages[Math.floor(random() * pages.length)]?.truth ?? truth;
      const wrong = readAnswer(other, fields, page);
      for (const { name, type } of fields) {
        if ((truth[name] ?? null) !== null) {
          held++;
          if (own && !own.unsupported.includes(name)) kept++;
        }
        if (type === 'boolean' || (other[name] ?? null) === null) continue;
        if (sameValue(other[name] as never, (truth[name] ?? null) as never, type)) continue;
        foreign++;
        if (wrong?.unsupported.includes(name)) caught++;
      }
    }
  }
  return `kept ${percent(kept, held)} of ${held} true values, caught ${percent(caught, foreign)} of ${foreign} foreign ones`;
}

/** The same page in a new look. */
function redesigned(html: string): string {
  return html
    .replace(/ class="([^"]*)"/g, (_, names: string) => ` class="${names.replace(/\S+/g, (name) => `new-${name}`)}"`)
    .replace(/ id="([^"]*)"/g, ' id="new-$1"')
    .replace(/(<\/?)h1/g, '$1h2');
}

interface Known {
  readonly view: SiteView;
  readonly rules: LearnedRules;
  readonly samples: readonly Sample[];
  readonly asked: readonly (AskedPage & PageAnswer)[];
}

interface GivenPage extends Pick<Sample, 'url' | 'html'> {
  readonly truth: Truth | null;
}

/** In the order of their URLs. */
function learn(pages: readonly GivenPage[], option: ExtractOption, wanted: WantedData, from: Known): Known {
  let { view, rules } = from;
  const samples = [...from.samples];
  const asked = [...from.asked];
  for (const { url, html, truth } of pages) {
    const { verdict, signature } = readLearned(wanted, open({ url, html }), url, view, undefined);
    if (verdict.kind !== 'ask') continue;
    const fields = fieldsOf(option);
    const nothing = Object.fromEntries(fields.slice(0, 1).map(({ name }) => [name, null]));
    const lesson = lessonOf(truth ?? nothing, { url, html }, { samples, rules }, option, fields, open);
    if (!lesson) throw new Error('no lesson');
    samples.push({ url, html, answer: lesson.answer });
    asked.push({ ...lesson, url, signature, template: verdict.template });
    ({ rules } = lesson);
    view = siteView(`${url} ${asked.length}`, asked, rules);
  }
  return { view, rules, samples, asked };
}

function redesign(seed: number): string {
  const score = new Score();
  let [wrong, noticed, calls] = [0, 0, 0];
  const sites = recordSites(seed);
  for (const { pages, schema } of sites) {
    const option = optionOf(schema);
    const [wanted, fields] = [wantedData(option), fieldsOf(option)];
    const given = Object.entries(pages).map(([path, { html, truth }], at): GivenPage => {
      return { url: `https://site.example${path}`, html: at % 2 === 0 ? html : redesigned(html), truth };
    });
    const [old, renewed] = [given.filter((_, at) => at % 2 === 0), given.filter((_, at) => at % 2 === 1)];
    const nothing = { view: siteView('0', [], noRules), rules: noRules, samples: [], asked: [] };
    const before = learn(old, option, wanted, nothing);
    for (const { url, html, truth } of renewed) {
      if (truth === null) continue;
      // With the rules of the pages before, whatever its template.
      const read = readLearned(wanted, open({ url, html }), url, before.view, undefined);
      const values = (read.extracted ?? {}) as Truth;
      for (const { name, type } of fields) {
        if (sameValue((values[name] ?? null) as never, (truth[name] ?? null) as never, type)) continue;
        wrong++;
        if (read.verdict.kind === 'ask' || read.from.problems[name] === 'disagree') noticed++;
      }
    }
    const after = learn(renewed, option, wanted, before);
    calls += after.asked.length;
    for (const [pagesOf, { view, asked }] of [[old, before] as const, [renewed, after] as const])
      for (const { url, html, truth } of pagesOf) {
        const answered = asked.find((one) => one.url === url);
        const told = answered && { answer: answered.answer, unsupported: [] };
        const { extracted } = readLearned(wanted, open({ url, html }), url, view, told);
        for (const { name, type } of fields) score.add(((extracted ?? {}) as Truth)[name], truth?.[name], type);
      }
  }
  const each = (calls / sites.length).toFixed(0);
  return `noticed ${percent(noticed, wrong)} of ${wrong} values that are wrong with the old rules; F1 at the end ${score.f1.toFixed(3)}, ${each} calls a site`;
}

/** Ten pages are answered, whatever the others show; these are read with what was learned. */
function documentation(seed: number, folder: string): string {
  const lines = documentations(folder).map(({ name, schema, pages }) => {
    // All of them have a record.
    const option: ExtractOption = { ...optionOf(schema), when: ['/**'] };
    const [wanted, fields] = [wantedData(option), fieldsOf(option)];
    const random = randomBy(seed);
    const order = pages.map((page) => [random(), page] as const).toSorted(([one], [other]) => one - other);
    const answered = order.slice(0, 10).map(([, page]) => page);
    const samples: Sample[] = [];
    const asked: AskedPage[] = [];
    let [rules, view] = [noRules, siteView(name, [], noRules)];
    for (const { url, html, truth } of answered.toSorted((one, other) => (one.url < other.url ? -1 : 1))) {
      const { verdict, signature } = readLearned(wanted, open({ url, html }), url, view, undefined);
      const lesson = lessonOf(truth, { url, html }, { samples, rules }, option, fields, open);
      if (!lesson) throw new Error('no lesson');
      samples.push({ url, html, answer: lesson.answer });
      asked.push({ ...lesson, url, signature, template: verdict.template });
      ({ rules } = lesson);
      view = siteView(`${name} ${seed} ${asked.length}`, asked, rules);
    }
    const score = new Score();
    let silent = 0;
    const wrong = new Map<string, string>();
    for (const [, { url, html, truth }] of order.slice(10)) {
      const read = readLearned(wanted, open({ url, html }), url, view, undefined);
      const values = (read.extracted ?? {}) as Truth;
      for (const { name: field, type } of fields) {
        if (score.add(values[field], truth[field], type)) continue;
        if ((values[field] ?? null) !== null && read.from.problems[field] === undefined) silent++;
        wrong.set(field, `${JSON.stringify(values[field])} for ${JSON.stringify(truth[field])} in ${url}`);
      }
    }
    const examples = [...wrong].map(([field, what]) => `\n      ${field}: ${what}`).join('');
    return `\n    ${name}: F1 ${score.f1.toFixed(3)}, silently wrong ${percent(silent, score.due)} of ${score.due}${examples}`;
  });
  return lines.join('');
}

/** Processor time of one run, in milliseconds: the median of many turns. */
function cost(run: () => unknown): number {
  const turns = Array.from({ length: 40 }, () => {
    const begun = process.cpuUsage();
    for (let at = 0; at < 10; at++) run();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 10_000;
  }).toSorted((one, other) => one - other);
  return turns[20] ?? 0;
}

/** Processor time of converting a page, beside that of a job without `extract` in a process without a model. */
async function shares(html: string, extract: ExtractOption): Promise<string> {
  const jobOf = (changes: object) => {
    const spec = { ...jobSpec({ urls: ['http://site.example/'], pageLimit: 9, fetchLimit: 9 }), ...changes };
    const brief = briefOf({ id: 'job', spec, scopeHosts: ['site.example'] }, 1);
    return { brief, judged: compileJob(brief) };
  };
  const [plain, wanting] = [jobOf({}), jobOf({ extract })];
  const inputOf = ({ brief }: typeof plain): PageInput => ({
    job: brief,
    requestUrl: 'http://site.example/page',
    fetchedUrl: 'http://site.example/page',
    depth: 0,
    statusCode: 200,
    headers: readFetchedHeaders({ 'content-type': 'text/html; charset=utf-8' }),
    body: ownedCopy(new TextEncoder().encode(html)),
  });
  const bare = { convertPage: (input: PageInput) => convertPage(input, plain.judged) };
  const learning = new LearningConverter({ converter: bare } as unknown as LearningParts);
  const ways = {
    'without extract': () => bare.convertPage(inputOf(plain)),
    'the same again': () => bare.convertPage(inputOf(plain)),
    'without extract, where a model is': () => learning.convertPage(inputOf(plain)),
    'with ten fields': () => convertPage(inputOf(wanting), wanting.judged),
  };
  const times = new Map<string, number[]>();
  const random = randomBy(1);
  for (let round = 0; round < 60; round++)
    for (const [name, way] of Object.entries(ways).toSorted(() => random() - 0.5)) {
      const begun = process.cpuUsage();
      for (let at = 0; at < 4; at++) await way();
      const { user, system } = process.cpuUsage(begun);
      if (round >= 15) times.set(name, [...(times.get(name) ?? []), user + system]);
    }
  const median = (name: string): number => times.get(name)?.toSorted((one, other) => one - other)[22] ?? 0;
  const base = median('without extract');
  return Object.keys(ways)
    .map((name) => `${name} ${(median(name) / base).toFixed(2)}`)
    .join(', ');
}

async function costs(): Promise<string> {
  const [site] = recordSites(1);
  const [path = '', page] = Object.entries(site?.pages ?? {})[0] ?? [];
  if (!page) throw new Error('there is no page');
  const card = `<div class="tile"><a class="name" href="/x">Another thing</a><p class="text">${'It has some words of its own. '.repeat(4)}</p></div>`;
  const html = page.html.replace(
    '</body>',
    `${card.repeat(Math.ceil((87_000 - page.html.length) / card.length))}</body>`,
  );
  const css = ['h1.name', '.price.now', '.avail', 'p.st', '.brand'].map((one, at) => [`c${at}`, { css: one }] as const);
  const labels = ['Publisher', 'Published', 'Code', 'Pages', 'Shipping'].map(
    (label, at) => [`l${at}`, { label }] as const,
  );
  const option = { ...optionOf({}, Object.fromEntries([...css, ...labels])), schema: null, declared: false };
  const wanted = wantedData(option);
  const opened = open({ url: `https://site.example${path}`, html });
  const selectors = Array.from({ length: 20 }, (_, at) => `.wanted-${at} .part`).join(', ');
  const fields = cost(() => readPageData(wanted, true, opened));
  const twenty = cost(() => selectElements(opened.document, selectors));
  const converting = await shares(html, option);
  return `${(html.length / 1000).toFixed(0)} KB: ten fields ${fields.toFixed(2)} ms, 20 selectors of include_elements ${twenty.toFixed(2)} ms; converting: ${converting}`;
}

const { values: flags, positionals } = parseArgs({ options: { docs: { type: 'string' } }, allowPositionals: true });
const { docs } = flags;
const parts = {
  declared,
  support,
  redesign,
  ...(docs !== undefined && { documentation: (seed: number) => documentation(seed, docs) }),
};
for (const seed of positionals.length > 0 ? positionals.map(Number) : [1, 2, 3]) {
  console.log(`seed ${seed}`);
  for (const [name, of] of Object.entries(parts)) console.log(`  ${name}: ${of(seed)}`);
}
console.log(`cost: ${await costs()}`);
