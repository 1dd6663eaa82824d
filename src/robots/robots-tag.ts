import { productToken } from '../core/product-token.ts';

/** Directives with a value of their own after a colon. Any other name before a colon is that of a crawler. */
const valuedDirectives: ReadonlySet<string> = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);

/**
 * The directives of `X-Robots-Tag` headers that apply to us: those for everyone, and those after our name. One line per
 * header: a name applies until the next name or the end of its header. Not in an RFC; as the large search engines
 * document it.
 */
export function robotsTagDirectives(headers: string): ReadonlySet<string> {
  const directives = new Set<string>();
  for (const header of headers.split('\n')) {
    let isForUs = true;
    for (const part of header.split(',')) {
      const text = part.trim().toLowerCase();
      const [, name = '', rest = ''] = /^([\w-]+)\s*:(.*)$/s.exec(text) ?? [];
      const isAddressed = name !== '' && !valuedDirectives.has(name);
      if (isAddressed) isForUs = name === productToken || name === 'robots';
      const directive = isAddressed ? rest.trim() : text;
      if (isForUs && directive !== '') directives.add(directive);
    }
  }
  return directives;
}
