/** What a page asks of robots. Not in an RFC; as the large search engines document it. */
import type { Element } from 'domhandler';
import { productToken } from '../core/product-token.ts';

/**
 * The directives for us in lower case, each once: those of every `<meta name=robots>` and of every one with our own name,
 * and `sent`, those of the headers. They are all kept, to be shown; only those that forbid following are obeyed, since what
 * may be indexed is for those to judge who publish what was crawled.
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

/** Whether links of the page are to be left alone. */
export function forbidsFollowing(directives: ReadonlySet<string>): boolean {
  return directives.has('nofollow') || directives.has('none');
}

const contentLengthMax = 2_000;

/** A date has spaces in it. Elsewhere a space parts directives as a comma does, except around the colon of a value. */
const directiveForm = /unavailable_after\s*:[^,;]*|[^\s,;:]+(?:\s*:\s*[^\s,;]+)?/g;
