// What a peer has kept of a site, held against what the site's pages say: that it is fast only counts for pages that are there.
import { globSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { corpusFolder } from './corpus.ts';
import { agreementOf, textOfHtml, textOfMarkdown, type Words, wordsOf } from './page-words.ts';

export interface Kept {
  /** Pages of the site that it has kept with a text. */
  readonly pages: number;
  /** Words of these pages, less their navigation, that are in what was kept: the mean over all pages that can be reached. */
  readonly recall: number;
  /** And the part of what was kept that is such words. */
  readonly precision: number;
}

/** Checks each page that can be reached; those that were not kept count as empty. */
export function contentCheck(corpus: string, reachable: ReadonlySet<string>): (folder: string) => Kept {
  const folder = corpusFolder(corpus);
  const references = new Map<string, Words>();
  const reference = (page: string): Words => {
    const file = path.join(folder, decodeURIComponent(page.split('?')[0] ?? ''));
    const words = references.get(page) ?? wordsOf(textOfHtml(readFileSync(file, 'utf8'), isNavigation));
    references.set(page, words);
    return words;
  };
  return (kept) => {
    const texts = readKept(kept);
    const rows = [...reachable].map((page) => {
      const words = wordsOf(textOfMarkdown(texts.get(page) ?? ''));
      const { recall, precision } = agreementOf(words, reference(page));
      return { hasText: words.length > 0, recall, precision };
    });
    const mean = (key: 'recall' | 'precision'): number => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;
    return {
      pages: rows.filter(({ hasText }) => hasText).length,
      recall: mean('recall'),
      precision: mean('precision'),
    };
  };
}

/** Whatever these sites mark as no part of a page: by its role, or by the class that their generators give it. */
function isNavigation(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.get('role') === 'navigation') return true;
  const classes = (attributes.get('class') ?? '').split(/\s+/);
  return classes.some((name) =>
    ['navheader', 'navfooter', 'sphinxsidebar', 'related', 'footer', 'sidebar'].includes(name),
  );
}

/** Texts by path, from the file or the folder of files that a peer leaves. */
function readKept(folder: string): ReadonlyMap<string, string> {
  const file = path.join(folder, 'pages.jsonl');
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8').split('\n').filter(Boolean)
    : globSync(`${folder}/storage/datasets/default/*.json`).map((name) => readFileSync(name, 'utf8'));
  return new Map(lines.flatMap((line) => keptPage(line)));
}

/** None in the line with which hayrake's API ends a stream. */
function keptPage(line: string): [string, string][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a peer has written; a page without these is a defect of the bench
  const page = JSON.parse(line) as { url?: string; meta?: { fetchedUrl: string }; text?: string };
  const url = page.url ?? page.meta?.fetchedUrl;
  return url === undefined ? [] : [[new URL(url).pathname, page.text ?? '']];
}
