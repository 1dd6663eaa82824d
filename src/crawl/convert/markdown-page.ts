// Reads a page that is sent as Markdown: as HTML for its links, metadata and other formats, and as it is for Markdown.
import { splitFrontMatter } from '../../shape/front-matter.ts';
import { escapeHtml } from '../../shape/inline-html.ts';
import { withLinkTargets } from '../../shape/link-targets.ts';
import { markdownHtml } from '../../shape/markdown-html.ts';
import { parseReference } from '../../url/parse-url.ts';

export interface MarkdownPage {
  /** A page with the metadata of the front matter. The title is the first heading if the front matter has none. */
  readonly html: string;
  /** Without the front matter. */
  readonly body: string;
}

export function readMarkdownPage(text: string): MarkdownPage {
  const { fields, body } = splitFrontMatter(text.replaceAll(/\r\n?/g, '\n'));
  const { html, heading } = markdownHtml(body);
  const first = (...names: readonly string[]): readonly string[] =>
    names.map((name) => fields.get(name) ?? []).find((values) => values.length > 0) ?? [];
  const list = (...names: readonly string[]): readonly string[] => {
    const joined = first(...names).join(', ');
    return joined === '' ? [] : [joined];
  };
  const [title = ''] = first('title');
  const [language = ''] = first('language', 'lang', 'locale');
  const metas = [
    meta('name', 'description', first('description', 'summary', 'excerpt').slice(0, 1)),
    meta('name', 'author', list('author', 'authors')),
    meta('name', 'keywords', list('keywords', 'tags')),
    meta('property', 'article:published_time', first('date', 'published', 'pubdate', 'publishdate').slice(0, 1)),
    meta('property', 'article:modified_time', first('lastmod', 'updated', 'last_updated', 'modified').slice(0, 1)),
  ];
  const titleHtml = title === '' ? heading.replaceAll(/<[^<>]*>/g, '') : escapeHtml(title);
  const head = `<title>${titleHtml}</title>${metas.join('')}`;
  return { html: `<html lang="${escapeHtml(language)}"><head>${head}</head><body>${html}</body></html>`, body };
}

/** The Markdown with absolute addresses, like that of other pages. */
export function withAbsoluteTargets(
  markdown: string,
  { url, encoding }: { readonly url: string; readonly encoding: string },
): string {
  const absolute = (address: string): string | undefined => {
    if (URL.canParse(address)) return undefined;
    // Brackets would end the address.
    return parseReference(address, url, encoding)?.href.replaceAll(/[()]/g, (bracket) =>
      bracket === '(' ? '%28' : '%29',
    );
  };
  return withLinkTargets(markdown, absolute, { withImages: true }).trim();
}

function meta(key: 'name' | 'property', name: string, values: readonly string[]): string {
  return values.map((value) => `<meta ${key}="${name}" content="${escapeHtml(value)}">`).join('');
}
