/** Reads text that scripts would show later from the page's JSON-LD, if the page states it there for search engines. */
import type { Thing, Things } from '../scan/json-ld.ts';
import { nodeText } from '../html/node-text.ts';
import type { PageContent } from '../content/page-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

/**
 * Returns the shown content followed by the article, post or product text of the JSON-LD. Returns undefined if that
 * text is short, or if the page already shows as much prose or at least half of its words.
 */
export function statedContent(shown: PageContent, { all }: Things): PageContent | undefined {
  const statements = all.flatMap(statementOf);
  // If there are several, none is the subject of the page.
  const [statement, ...others] = new Set(statements);
  if (statement === undefined || others.length > 0) return undefined;
  const document = parseHtml(asHtml(statement));
  const text = nodeText(document.children).trim();
  const shownText = toText(shown);
  if (text.length < statedLengthMin || text.length <= proseLength(shownText)) return undefined;
  if (isSaidIn(shownText, text)) return undefined;
  return { nodes: [...shown.nodes, ...document.children], skipped: shown.skipped };
}

/** Prices, sizes and other labels describe nothing. */
function proseLength(text: string): number {
  return text.split('\n').reduce((sum, { length }) => (length >= proseLineMin ? sum + length : sum), 0);
}

const proseLineMin = 60;
const statedLengthMin = 100;
/** Longer texts are cut. */
const statedLengthMax = 100_000;

/** Returns full texts, from the properties of schema.org. */
function statementOf({ types, values }: Thing): string[] {
  const names = types.flatMap((type) => [...textNames].flatMap(([family, name]) => (family.test(type) ? [name] : [])));
  return names.flatMap((name) => {
    const text = values[name];
    return typeof text === 'string' && text.length >= statedLengthMin ? [text.slice(0, statedLengthMax)] : [];
  });
}

const textNames: ReadonlyMap<RegExp, string> = new Map([
  [/(?:Article|BlogPosting)$/, 'articleBody'],
  [/ForumPosting$/, 'text'],
  [/^(?:Product|ProductGroup)$/, 'description'],
]);

/** Some pages state HTML, most state lines of text. */
function asHtml(text: string): string {
  if (/<\/?[a-z][^<>]*>/i.test(text)) return text;
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${paragraph.replaceAll('<', '&lt;').replaceAll('\n', '<br>')}</p>`)
    .join('');
}

function isSaidIn(shown: string, text: string): boolean {
  const known = wordsOf(shown);
  const words = [...wordsOf(text)];
  return words.filter((word) => known.has(word)).length >= words.length * 0.5;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
