// The frame of a page: header, menu and footer. Each contains the navigation mark.
import { navigationMark } from './site.ts';

export interface PageParts {
  readonly title: string;
  /** HTML of the main content. */
  readonly main: string;
  /** Elements of the head besides the title. */
  readonly head?: string;
  /** @default en */
  readonly lang?: string;
  /** Links of the menu. */
  readonly menu?: readonly (readonly [href: string, text: string])[];
  /** HTML at the end of the footer. */
  readonly footer?: string;
}

/** A page as sites have it today: header with a menu, main, footer. */
export function page({ title, main, head = '', lang = 'en', menu = [], footer = '' }: PageParts): string {
  const items = [['/', 'Home'] as const, ...menu].map(
    ([href, text]) => `<li>${anchor(href, `${navigationMark} ${text}`)}</li>`,
  );
  return `<!DOCTYPE html>
<html lang="${lang}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${head}</head>
<body><header class="site-header"><nav class="main-menu"><ul>${items.join('')}</ul></nav></header>
<main id="content">${main}</main>
<footer class="site-footer"><p>${navigationMark}: all rights reserved.</p>${footer}</footer></body></html>`;
}

export function anchor(href: string, text: string, attributes = ''): string {
  return `<a href="${href.replaceAll('&', '&amp;')}"${attributes === '' ? '' : ` ${attributes}`}>${text}</a>`;
}

export function list(links: readonly (readonly [href: string, text: string])[]): string {
  return `<ul>${links.map(([href, text]) => `<li>${anchor(href, text)}</li>`).join('\n')}</ul>`;
}
