import { escapeAttribute, escapeText } from 'entities';

export { escapeText as htmlText } from 'entities';

/** An element around what is HTML already. */
export function element(name: string, html: string): string {
  return `<${name}>${html}</${name}>`;
}

/** The start of a link, where it leads out of the file. */
export function linkStart(href: string | undefined): string | undefined {
  return href !== undefined && leadsOut(href) ? `<a href="${escapeAttribute(href)}">` : undefined;
}

export function leadsOut(href: string): boolean {
  return /^(?:https?:|mailto:)/i.test(href);
}

/** What a few elements of our own hold, as text. */
export function textOf(html: string): string {
  const text = html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
  return text.replaceAll('&nbsp;', ' ').replaceAll('&amp;', '&');
}

/** Text as paragraphs, parted at empty lines. */
export function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => element('p', escapeText(part).replaceAll('\n', '<br>')))
    .join('');
}
