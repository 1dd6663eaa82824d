/** The `Link` headers of an answer (RFC 8288). */

export interface HeaderLink {
  /** As sent: it resolves against the URL of the answer, which no `<base>` moves (3.2). */
  readonly target: string;
  /** Lower case, at least one. */
  readonly relations: readonly string[];
  /** It has a `hreflang`. */
  readonly hasLanguage: boolean;
}

export const headerLinksMax = 100;

/**
 * The links of all `Link` headers, joined by commas, in linear time, at most {@link headerLinksMax}. Reads on where the
 * algorithm of appendix B.2 gives up: a link that cannot be read costs no other. Left out are links without a relation
 * (3.3), and those with an `anchor`, which say something about another page or a part of this one (3.2).
 */
export function parseLinkHeader(header: string): readonly HeaderLink[] {
  const links: HeaderLink[] = [];
  for (const [element] of header.matchAll(elements)) {
    const link = parseLink(element);
    if (link !== undefined) links.push(link);
    if (links.length >= headerLinksMax) break;
  }
  return links;
}

/** What commas part, unless they stand in angle brackets or in quotes. Every branch takes what no other can: no way back. */
const elements = /(?:<[^>]*>?|"(?:[^"\\]|\\[^])*"?|[^,<"])+/g;

function parseLink(element: string): HeaderLink | undefined {
  const [head, target] = /^[ \t]*<([^>]*)>/.exec(element) ?? [];
  if (head === undefined || target === undefined) return undefined;
  const parameters = parametersOf(element.slice(head.length));
  const relations = (parameters.get('rel') ?? '').toLowerCase().split(/[ \t]+/);
  const named = relations.filter((relation) => relation !== '');
  if (named.length === 0 || parameters.has('anchor')) return undefined;
  return { target, relations: named, hasLanguage: parameters.has('hreflang') };
}

/** By name in lower case. The first of a name counts (3.3 says so of `rel`). */
function parametersOf(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, token = ''] of text.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\([^])/g, '$1') ?? token);
  }
  return parameters;
}

/** One after the other, up to the first that is none (appendix B.3). A quoted value may lack its end (B.4). */
const parameter = /[ \t]*;[ \t]*([^\s=;]*)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\[^])*)"?|([^;]*)))?/gy;
