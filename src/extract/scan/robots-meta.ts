/** Robots directives in a page. No RFC covers them; this follows the documentation of the large search engines. */
import type { Element } from 'domhandler';
import { productToken } from '../../core/product-token.ts';

/**
 * Returns the directives that apply to this crawler in lower case, each once: from every `<meta name=robots>` and every
 * meta with our own name, plus `sent` from the headers. All are kept for display. Only those that forbid following
 * links are obeyed: the publisher of the crawled content decides about indexing.
 */
export function robotsDirectives(metas: readonly Element[], sent: Iterable<string>): ReadonlySet<string> {
  const directives = new Set<string>();
  for (const { attribs } of metas) {
    const name = attribs['name']?.trim().toLowerCase();
    if (name !== 'robots' && name !== productToken) continue;
    const content = attribs['content']?.slice(0, contentLengthMax).toWellFormed().toLowerCase() ?? '';
    for (const [directive] of content.matchAll(directiveForm)) directives.add(directive.trim());
  }
  for (const directive of sent) directives.add(directive);
  return directives;
}

/** Returns true if links of the page must not be followed. */
export function forbidsFollowing(directives: ReadonlySet<string>): boolean {
  return directives.has('nofollow') || directives.has('none');
}

const contentLengthMax = 2_000;

/** A date contains spaces. Elsewhere, a space separates directives like a comma, except around the colon of a value. */
const directiveForm = /unavailable_after\s*:[^,;]*|[^\s,;:]+(?:\s*:\s*[^\s,;]+)?/g;
