/**
 * CSS selectors of elements removed before conversion if the client names none and the whole page is kept. The header of
 * an article has its title.
 */
export const defaultExcludeElements =
  'nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], ' +
  '[role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]';
