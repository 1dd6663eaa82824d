/** Begins the text of a page with its title, if the text has no title of its own. */
import type { OutputFormat } from '../core/job.ts';
import type { PageMetadata } from '../core/page.ts';

/** `auto` is {@link withTitle}; `page` leaves the text as the page has it. */
export type TitleShape = 'page' | 'auto';

/**
 * Returns Markdown or text that begins with the title: the headline, which lacks the name of the site. HTML, a page
 * without a title, and a text with a first-level heading stay unchanged. So does a text that already begins with the
 * title: a second call changes nothing.
 */
export function withTitle(text: string, metadata: PageMetadata, format: OutputFormat): string {
  const { headline } = metadata;
  const given = typeof headline === 'string' && headline.trim() !== '' ? headline : metadata.title;
  const title = given.replaceAll(/\s+/g, ' ').trim();
  if (title === '' || format === 'html' || hasFirstHeading(text, metadata, format)) return text;
  const line = format === 'markdown' ? `# ${escaped(title)}` : title;
  if (text === line || text.startsWith(`${line}\n`)) return text;
  return text === '' ? line : `${line}\n\n${text}`;
}

/** The metadata of files has no headings, so their Markdown is searched. */
function hasFirstHeading(text: string, { headings }: PageMetadata, format: OutputFormat): boolean {
  if (Array.isArray(headings)) return headings.some((heading) => String(heading).startsWith('# '));
  return format === 'markdown' && /^ {0,3}#[ \t]/m.test(text);
}

/** Escapes what Markdown would read in a heading. */
function escaped(title: string): string {
  return title.replaceAll(/[\\`*_[\]<>~|$]|#(?=#*$)|&(?=#?\w+;)/g, String.raw`\$&`);
}
