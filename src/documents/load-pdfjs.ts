import { registerHooks } from 'node:module';
import { boundDecoding, type DecodingBudget } from './bound-pdfjs.ts';

/**
 * pdf.js with a budget of decoded bytes. Loaded with the first PDF: 1.7 MB that most jobs never need. Built, `scripts/bundle.ts` has bounded
 * it; where the sources run as they are, it is bounded while it is loaded.
 */
export async function loadPdfjs() {
  const hooks = import.meta.url.endsWith('.ts') ? boundWhenLoaded() : undefined;
  try {
    const { getDocumentProxy, getResolvedPDFJS } = await import('unpdf');
    const { decodingBudget } = (await getResolvedPDFJS()) as { readonly decodingBudget?: DecodingBudget };
    if (!decodingBudget) throw new Error('pdf.js has no budget of decoded bytes.');
    return { getDocumentProxy, decodingBudget };
  } finally {
    hooks?.deregister();
  }
}

function boundWhenLoaded() {
  return registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith('/unpdf/dist/pdfjs.mjs') || loaded.source === undefined) return loaded;
      const source =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source ?? undefined);
      return { ...loaded, source: boundDecoding(source) };
    },
  });
}
