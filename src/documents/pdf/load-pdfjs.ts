import { registerHooks } from 'node:module';
import { boundDecoding, type DecodingBudget } from './bound-pdfjs.ts';

/**
 * Loads pdf.js with a budget of decoded bytes. It loads with the first PDF: most jobs never need these 1.7 MB. In a
 * build, `scripts/bundle.ts` has already patched it; when running from source, it is patched while loading.
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
