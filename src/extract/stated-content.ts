/** The text of a page that its scripts show later, as far as the page tells it to search engines already. */
import type { Thing, Things } from './json-ld.ts';
import { nodeText } from './node-text.ts';
import type { PageContent } from './page-content.ts';
import { parseHtml } from './parse-html.ts';
import { toText } from './to-text.ts';

/**
 * What is shown, and behind it the text of the article, post or product that the JSON-LD states; undefined where the page
 * shows as much, or most of it, already.
 */
export function statedContent(shown: PageContent, { all }: Things): PageContent | undefined {
  const statements = all.flatMap(statementOf);
  // Of several things, none is what the page is about.
  const [statement, ...others] = new Set(statements);
  if (statement === undefined || others.length > 0) return undefined;
  const document = parseHtml(asHtml(statement));
  const text = nodeText(document.children).trim();
  const shownText = toText(shown);
  if (text.length < statedLengthMin || text.length <= shownText.length || isSaidIn(shownText, text)) return undefined;
  return { nodes: [...shown.nodes, ...document.children], skipped: shown.skipped };
}

const statedLengthMin = 100;
/** What stands behind it is left out. */
const statedLengthMax = 100_000;

/** Their text in full, in the words of schema.org. */
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

/** Some state their text as HTML, most as lines. */
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
