import { decodeHTML, escapeAttribute, escapeText } from 'entities';

export { escapeText as htmlText } from 'entities';

/** Wraps HTML in an element. */
export function element(name: string, html: string): string {
  return `<${name}>${html}</${name}>`;
}

/** The tags of elements within each other, outermost first. */
export function startTags(names: readonly string[]): string {
  return names.map((name) => `<${name}>`).join('');
}

export function endTags(names: readonly string[]): string {
  const inner = names.toReversed();
  return inner.map((name) => `</${name}>`).join('');
}

/** Returns the start tag of a link, or undefined if it does not lead out of the file. */
export function linkStart(href: string | undefined): string | undefined {
  return href !== undefined && leadsOut(href) ? `<a href="${escapeAttribute(href)}">` : undefined;
}

export function leadsOut(href: string): boolean {
  return /^(?:https?:|mailto:)/i.test(href);
}

/** Returns HTML as text: tags become spaces, and character references are decoded. */
export function textOf(html: string): string {
  return decodeHTML(html.replaceAll(/<[^>]*>/g, ' ')).replaceAll('\u00a0', ' ');
}

/** Splits text into paragraphs at empty lines. */
export function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => element('p', escapeText(part).replaceAll('\n', '<br>')))
    .join('');
}
