// The text of a page as a document for the reading frame. Three walls stand between it and the reader's session: the text is
// rebuilt from elements that only show text; the frame's sandbox runs no script and has no origin; the policy of the
// dashboard, which the frame inherits, loads nothing from elsewhere.
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { InertHtml } from './inert-html.ts';

export interface PageText {
  readonly text: string;
  readonly format: 'markdown' | 'text' | 'html';
  /** The URL of the page: what its links are relative to. */
  readonly base: string;
  readonly isDark: boolean;
}

/** Markdown has no other form for these. All other HTML in Markdown is shown as text. */
const textTag = /^<\/?(?:sub|sup|br|kbd|u|mark|ins|small)(?: ?\/)?>$/i;
const textTags: NonNullable<NonNullable<Parameters<typeof micromark>[1]>['htmlExtensions']>[number] = {
  exit: {
    htmlTextData(token) {
      const tag = this.sliceSerialize(token);
      this.raw(textTag.test(tag) ? tag : this.encode(tag));
    },
  },
};

/** `inert` is given, since a module that two bundles share becomes a third. */
export function showPage(frame: HTMLIFrameElement, { text, format, base, isDark }: PageText, inert: InertHtml): void {
  const html =
    format === 'markdown' ? micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml(), textTags] }) : text;
  const body = format === 'text' ? preformatted(text) : cleaned(inert.parsedPage(html), base);
  const style = document.body.dataset['frameStyle'] ?? '';
  const page = `<!doctype html><html data-theme="${isDark ? 'dark' : 'light'}"><head><meta charset="utf-8"><meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer"><link rel="stylesheet" href="${style}"></head><body>${body}</body></html>`;
  inert.showInFrame(frame, page);
}

/** Elements that are kept, with the attributes that are. */
const kept = new Map<string, readonly string[]>([
  ...[
    'p h1 h2 h3 h4 h5 h6 ul li dl dt dd table thead tbody tfoot tr caption blockquote pre code em strong b i u s del ins',
    'sub sup small mark abbr cite q kbd samp var br hr figure figcaption div span section article main header footer aside',
    'details summary time address wbr ruby rt rp',
  ]
    .join(' ')
    .split(' ')
    .map((name): [string, readonly string[]] => [name, []]),
  ['ol', ['start', 'reversed']],
  ['th', ['colspan', 'rowspan', 'scope']],
  ['td', ['colspan', 'rowspan']],
]);
/** Elements that go with their content. */
const removed = new Set(
  'script style template noscript iframe frame frameset object embed applet head title meta link base svg math form input button select textarea audio video canvas map'.split(
    ' ',
  ),
);

/** Rebuilds the text from the elements that are kept. */
function cleaned(parsed: Document, base: string): string {
  const out: string[] = [];
  // With a stack of its own: pages nest deeper than calls may.
  const todo: (Node | string)[] = [parsed.body];
  while (todo.length > 0) {
    const node = todo.pop();
    if (typeof node === 'string') out.push(node);
    else if (node?.nodeType === Node.TEXT_NODE) out.push(escaped(node.nodeValue ?? ''));
    else if (node instanceof Element) {
      const [start, end] = tagsOf(node, base);
      if (start === undefined) continue;
      out.push(start);
      todo.push(end);
      for (let child = node.lastChild; child; child = child.previousSibling) todo.push(child);
    }
  }
  return out.join('');
}

/** The tags of an element; none if it goes with its content. */
function tagsOf(element: Element, base: string): readonly [string, string] | readonly [undefined, ''] {
  const name = element.localName;
  // A task list of Markdown.
  if (name === 'input' && element.getAttribute('type') === 'checkbox')
    return [element.hasAttribute('checked') ? '☑ ' : '☐ ', ''];
  if (removed.has(name)) return [undefined, ''];
  if (name === 'a') return link(element.getAttribute('href'), base);
  // Loading it would tell the site who reads the page.
  if (name === 'img') {
    const [start, end] = element.parentElement?.closest('a') ? ['', ''] : link(element.getAttribute('src'), base);
    return [`${start}<span class="image">${escaped(element.getAttribute('alt') || 'Image')}</span>`, end];
  }
  const attributes = kept.get(name);
  if (!attributes) return ['', ''];
  const given = attributes.flatMap((attribute) => {
    const value = element.getAttribute(attribute);
    return value === null ? [] : [` ${attribute}="${escaped(value)}"`];
  });
  return [`<${name}${given.join('')}>`, name === 'br' || name === 'hr' || name === 'wbr' ? '' : `</${name}>`];
}

function link(target: string | null, base: string): readonly [string, string] {
  const url = target === null || !URL.canParse(target, base) ? undefined : new URL(target, base);
  if (!url || !/^(?:https?|mailto):$/.test(url.protocol)) return ['', ''];
  return [`<a href="${escaped(url.href)}" target="_blank" rel="noopener noreferrer">`, '</a>'];
}

function preformatted(text: string): string {
  return `<pre class="text">${escaped(text)}</pre>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
