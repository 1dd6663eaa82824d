// Reads XML: feeds (RSS 0.9 to 2.0, Atom) become a list of entries with links, any other XML becomes its text.
import { escapeAttribute } from 'entities';
import { decodeBytes, xmlLabels } from '../../core/bytes/decode-bytes.ts';
import type { DocumentBlock, DocumentContent } from '../../core/document.ts';
import { tooMany } from '../parts/document-error.ts';
import { element, htmlText, paragraphs, textOf } from '../parts/html-text.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { readXml } from '../parts/read-xml.ts';

const entriesMax = 10_000;

/** Returns undefined for a sitemap, which names pages but is not one. */
export async function readXmlFile({ bytes, contentType }: FileBytes): Promise<DocumentContent | undefined> {
  const text = await decodeBytes(bytes, { contentType, labels: xmlLabels(bytes), isMarkup: true });
  const root = rootOf(text);
  if (root === 'urlset' || root === 'sitemapindex') return undefined;
  return root === 'rss' || root === 'feed' || root === 'RDF' ? readFeed(text, root === 'feed') : readText(text);
}

function rootOf(xml: string): string {
  const start = xml.slice(0, 10_000).replaceAll(/<!--[^]*?-->/g, '');
  return /<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)/.exec(start)?.[1] ?? '';
}

/** Puts the text of each element on its own line. */
function readText(xml: string): DocumentContent {
  const lines: string[] = [];
  let line = '';
  const end = (): void => {
    const text = line.replaceAll(/\s+/g, ' ').trim();
    if (text !== '') lines.push(text);
    line = '';
  };
  readXml(xml, { open: end, text: (text) => (line += text), close: end });
  return { metadata: {}, blocks: [{ kind: 'plain', text: lines.join('\n') }] };
}

/** A feed or one of its entries. */
interface Entry {
  title: string;
  link: string;
  /** HTML, unless Atom states otherwise. */
  summary: string;
  content: string;
  date: string;
  author: string;
  language: string;
}

const fields: ReadonlyMap<string, keyof Entry> = new Map([
  ['title', 'title'],
  ['link', 'link'],
  ['description', 'summary'],
  ['summary', 'summary'],
  ['subtitle', 'summary'],
  ['tagline', 'summary'],
  ['encoded', 'content'],
  ['content', 'content'],
  ['pubDate', 'date'],
  ['published', 'date'],
  ['updated', 'date'],
  ['date', 'date'],
  ['creator', 'author'],
  ['author', 'author'],
  ['name', 'author'],
  ['language', 'language'],
]);

function emptyEntry(): Entry {
  return { title: '', link: '', summary: '', content: '', date: '', author: '', language: '' };
}

function readFeed(xml: string, isAtom: boolean): DocumentContent {
  const feed = emptyEntry();
  const entries: Entry[] = [];
  let entry = feed;
  let field: { readonly name: keyof Entry; readonly depth: number; readonly isText: boolean } | undefined;
  let value = '';
  let depth = 0;
  // Images and text inputs have titles and links of their own.
  let skippedFrom: number | undefined;
  readXml(xml, {
    open(name, attributes) {
      depth++;
      if (skippedFrom !== undefined || field) return;
      if (name === 'image' || name === 'textInput' || name === 'textinput' || name === 'source') skippedFrom = depth;
      else if (name === 'item' || name === 'entry') {
        if (entries.length >= entriesMax) throw tooMany('entries', entriesMax);
        entry = emptyEntry();
        entries.push(entry);
      } else if (name === 'link' && attributes['href'] !== undefined) {
        if ((attributes['rel'] ?? 'alternate') === 'alternate') entry.link ||= attributes['href'];
      } else if (name !== 'author' || !isAtom) {
        // An Atom author has a `name` element; an RSS author is the name itself.
        const known = fields.get(name);
        if (known !== undefined)
          field = { name: known, depth, isText: isAtom && isPlainText(name, attributes['type']) };
        value = '';
      }
    },
    text(text) {
      if (field) value += text;
    },
    close(name) {
      if (field?.depth === depth) {
        const text = field.isText ? htmlText(value.trim()) : value.trim();
        entry[field.name] ||= text;
        field = undefined;
      }
      if (skippedFrom === depth) skippedFrom = undefined;
      if (name === 'item' || name === 'entry') entry = feed;
      depth--;
    },
  });
  const blocks: DocumentBlock[] = [feedHead(feed), ...entries.map(entryHtml)]
    .filter((html) => html !== '')
    .map((html) => ({ kind: 'html', html }));
  return {
    metadata: {
      title: feed.title,
      description: textOf(feed.summary),
      author: feed.author,
      language: feed.language,
      modifiedTime: feed.date,
    },
    blocks,
  };
}

/** Atom states the type of each text; RSS descriptions are HTML. XHTML is read as text. */
function isPlainText(name: string, type: string | undefined): boolean {
  return (name === 'content' || name === 'summary' || name === 'subtitle') && type !== 'html' && type !== 'text/html';
}

function feedHead({ title, summary }: Entry): string {
  return (title === '' ? '' : element('h1', htmlText(title))) + (summary === '' ? '' : element('p', summary));
}

function entryHtml({ title, link, summary, content, date, author }: Entry): string {
  const heading = htmlText(title === '' ? link : title);
  const about = [date, author].filter((text) => text !== '').join(', ');
  const text = content === '' ? summary : content;
  return [
    heading === '' ? '' : element('h2', link === '' ? heading : `<a href="${escapeAttribute(link)}">${heading}</a>`),
    paragraphs(about),
    // Each entry is parsed alone, so broken HTML cannot leak into the next entry.
    text === '' ? '' : element('div', text),
  ].join('');
}
