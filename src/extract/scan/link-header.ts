/** A link of a `Link` response header (RFC 8288). */

export interface HeaderLink {
  /** As sent. It resolves against the URL of the response, whatever `<base>` says (3.2). */
  readonly target: string;
  /** Lower case, at least one. */
  readonly relations: readonly string[];
  /** True if the link has a `hreflang`. */
  readonly hasLanguage: boolean;
}

export const headerLinksMax = 100;

/**
 * Parses all `Link` headers, joined by commas, in linear time; at most {@link headerLinksMax} links. Continues where
 * the algorithm of appendix B.2 gives up: an unreadable link does not affect the others. Leaves out links without a
 * relation (3.3), and links with an `anchor`, which describe another page or a part of this one (3.2).
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

/**
 * Text between commas outside angle brackets and quotes. The branches are disjoint, so the pattern never backtracks.
 */
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

/** Keyed by lower-case name. The first of a name counts (3.3 requires this for `rel`). */
function parametersOf(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, token = ''] of text.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\([^])/g, '$1') ?? token);
  }
  return parameters;
}

/**
 * Matches parameter by parameter, up to the first that is malformed (appendix B.3). A quoted value can lack its end
 * (B.4).
 */
const parameter = /[ \t]*;[ \t]*([^\s=;]*)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\[^])*)"?|([^;]*)))?/gy;
