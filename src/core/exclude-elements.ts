/** CSS selectors of elements removed before conversion if the client names none and the whole page is kept. */
export const defaultExcludeElements =
  'nav, header, footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], ' +
  '[role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]';
