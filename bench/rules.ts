// What each content rule is worth: every rule off in turn, on pages whose content somebody marked, on the fact pages of the
// tests, and on the installed manuals.
//
//   node bench/rules.ts [--write] [--most N] [--only RULE[,RULE]] FILE.jsonl[.gz]...
//
// A file has an object a line with `url`, `html`, `main_content` and the lists `with` and `without` of texts that must and must
// not be there. --write replaces src/extract/rules/evidence.json. --most bounds the pages of each manual.
// With --only, these rules alone are measured and the other rows stay as they are.
//
// A row that has evidence on pages of our own alone says so: `only`. `cliffs` are not measured here: that word is written by
// hand, and stays.
// A rule that changes nothing that counts decides nothing. F1 compares words; leak is the share of `without` that is there.
import { globSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { extractPage } from '../src/extract/extract-page.ts';
import { RuleTable, furtherRules, ruleNames } from '../src/extract/rules/table.ts';
import { readFactPage, wrongIn } from '../test/facts/fact-page.ts';
import { corpusFolder, corpusNames } from './corpus.ts';

interface MarkedPage {
  readonly url: string;
  readonly html: string;
  readonly main_content: string;
  readonly with: readonly string[];
  readonly without: readonly string[];
}

/** What the rule brings: the difference between all rules and all but this one. */
interface Evidence {
  /** Marked pages whose text it changes. */
  pages: number;
  /** Sums over the marked pages, in pages: 1 is a page from nothing to all. */
  f1: number;
  with: number;
  leak: number;
  /** Lines of fact pages that are right because of it, less those that are wrong. */
  facts: number;
  /** Pages of manuals that it changes, and characters that it leaves out of them. */
  manuals: number;
  manualLength: number;
  /** Pictures, formulas and empty entries in the Markdown of marked pages and manuals that are there because of it. */
  pictures: number;
  formulas: number;
  emptyEntries: number;
}

const here = fileURLToPath(new URL('..', import.meta.url));
const evidenceFile = path.join(here, 'src/extract/rules/evidence.json');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, most: { type: 'string', default: '150' }, only: { type: 'string' } },
});
const asked = values.only?.split(',') ?? ruleNames;
const unknown = asked.find((name) => !ruleNames.includes(name));
if (unknown !== undefined) throw new Error(`There is no rule ${unknown}.`);

const known = new Map<string, Evidence>(
  asked.map((name) => [
    name,
    {
      pages: 0,
      f1: 0,
      with: 0,
      leak: 0,
      facts: 0,
      manuals: 0,
      manualLength: 0,
      pictures: 0,
      formulas: 0,
      emptyEntries: 0,
    },
  ]),
);
const tables = new Map(asked.map((name) => [name, new RuleTable([name])]));

for (const file of positionals) {
  for (const page of linesOf(file)) {
    const whole = scoresOf(page, textOf(page, 'text'));
    forEachRule(page, 'text', (rule, text) => {
      const scores = scoresOf(page, text);
      rule.pages++;
      rule.f1 += whole.f1 - scores.f1;
      rule.with += whole.with - scores.with;
      rule.leak += whole.leak - scores.leak;
    });
    forEachRule(page, 'markdown', countParts);
  }
  console.error(`${path.basename(file)} is done`);
}
const factFolder = path.join(here, 'test/facts/pages');
for (const name of readdirSync(factFolder)) {
  const page = readFactPage(readFileSync(path.join(factFolder, name), 'utf8'));
  forEachRule(page, 'markdown', (rule, text, all) => {
    rule.facts += wrongIn(page.facts, text).length - wrongIn(page.facts, all).length;
  });
}
for (const name of corpusNames) {
  for (const page of manualPages(name)) {
    forEachRule(page, 'markdown', (rule, text, all) => {
      rule.manuals++;
      rule.manualLength += text.length - all.length;
      countParts(rule, text, all);
    });
  }
}

report();

interface Page {
  readonly url: string;
  readonly html: string;
}

function textOf({ url, html }: Page, format: 'text' | 'markdown', rules?: RuleTable): string {
  return extractPage(html, {
    url,
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: format,
    content: 'auto',
    excludeElements: null,
    ...(rules !== undefined && { rules }),
  }).text;
}

/** Calls `changed` for each rule without which the page has another text. */
function forEachRule(
  page: Page,
  format: 'text' | 'markdown',
  changed: (rule: Evidence, text: string, all: string) => void,
): void {
  // A contact outside of the content is no box of which a rule is asked.
  const used = new Set<string>([...furtherRules, 'contact']);
  const all = textOf(page, format, new RuleTable([], (rule) => used.add(rule)));
  for (const name of used) {
    const table = tables.get(name);
    const rule = known.get(name);
    if (table === undefined || rule === undefined) continue;
    const text = textOf(page, format, table);
    if (text !== all) changed(rule, text, all);
  }
}

/** What words do not show. */
function countParts(rule: Evidence, text: string, all: string): void {
  const more = (part: RegExp): number => (all.match(part)?.length ?? 0) - (text.match(part)?.length ?? 0);
  rule.pictures += more(/!\[/g);
  rule.formulas += more(/\$\$?[^\s$][^$]*\$/g);
  rule.emptyEntries += more(/^ *[-*] *$/gm);
}

function scoresOf(page: MarkedPage, text: string): { f1: number; with: number; leak: number } {
  return {
    f1: f1Of(wordsOf(text), wordsOf(page.main_content)),
    with: shareIn(text, page.with, 1),
    leak: shareIn(text, page.without, 0),
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function f1Of(got: readonly string[], wanted: readonly string[]): number {
  if (got.length === 0 || wanted.length === 0) return got.length === wanted.length ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of got) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    shared++;
    left.set(word, count - 1);
  }
  return (2 * shared) / (got.length + wanted.length);
}

function shareIn(text: string, parts: readonly string[], ofNone: number): number {
  if (parts.length === 0) return ofNone;
  const lower = text.toLowerCase();
  return parts.filter((part) => lower.includes(part.toLowerCase())).length / parts.length;
}

function linesOf(file: string): readonly MarkedPage[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MarkedPage);
}

function* manualPages(name: string): Iterable<Page> {
  let folder: string;
  try {
    folder = corpusFolder(name);
  } catch (error) {
    console.error(String(error));
    return;
  }
  const files = globSync('**/*.html', { cwd: folder }).toSorted();
  const step = Math.max(1, files.length / Number(values.most));
  for (let at = 0; at < files.length; at += step) {
    const file = files[Math.floor(at)] ?? '';
    yield { url: `https://manual.example/${file}`, html: readFileSync(path.join(folder, file), 'utf8') };
  }
}

function report(): void {
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  const rows = Array.from(known, ([name, { f1, with: shown, leak, ...counts }]) => ({
    name,
    ...counts,
    f1: rounded(f1),
    with: rounded(shown),
    leak: rounded(leak),
  }));
  console.table(rows.toSorted((one, other) => other.f1 - one.f1));
  if (values.write !== true) return;
  const written = JSON.parse(readFileSync(evidenceFile, 'utf8')) as Record<string, { readonly only?: string }>;
  const measured = new Map<string, object>(
    rows.map(({ name, ...evidence }) => {
      const { pages: _, facts, ...others } = evidence;
      if (Object.values(others).some((value) => value !== 0)) return [name, evidence];
      return [name, { ...evidence, only: facts === 0 ? written[name]?.only : 'fact pages' }];
    }),
  );
  const lines = ruleNames
    .toSorted()
    .map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(measured.get(name) ?? written[name])}`);
  writeFileSync(evidenceFile, `{\n${lines.join(',\n')}\n}\n`);
}
