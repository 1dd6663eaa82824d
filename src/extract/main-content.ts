/** Chooses the part of the page that is its content. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textlessElements } from './element-kinds.ts';
import { defaultExcludeElements } from '../core/exclude-elements.ts';
import { findBoilerplate } from './boilerplate.ts';
import type { PageContent } from './page-content.ts';
import { selectElements } from './select-elements.ts';

/**
 * `full` is the whole page less what is excluded. `auto` is the main content where it can be told apart; it is never
 * empty when the page has text. `excludeElements` is null where the client gave none.
 */
export function chooseContent(
  document: Document,
  content: 'auto' | 'full',
  excludeElements: string | null,
): PageContent {
  const body = findBody(document);
  if (content === 'full') {
    return { nodes: body, skipped: selectElements(document, excludeElements ?? defaultExcludeElements) };
  }
  // The default list would take an article's own header, so only the client's selectors count here.
  const excluded = excludeElements === null ? new Set<ChildNode>() : selectElements(document, excludeElements);
  const main = mainContent(body, excluded);
  if (hasText(main)) return main;
  const whole = { nodes: body, skipped: selectElements(document, excludeElements ?? defaultExcludeElements) };
  return hasText(whole) ? whole : { nodes: body, skipped: excluded };
}

function findBody(document: Document): readonly ChildNode[] {
  const html = document.children.find((node) => isTag(node) && node.name === 'html');
  const body = (html !== undefined && isTag(html) ? html : document).children.find(
    (node) => isTag(node) && node.name === 'body',
  );
  return body !== undefined && isTag(body) ? [body] : document.children;
}

function mainContent(body: readonly ChildNode[], excluded: ReadonlySet<ChildNode>): PageContent {
  const skipped = findBoilerplate(body, excluded);
  const candidates: Candidate[] = [];
  const total = measure(body, skipped, candidates);
  const best = chooseCandidate(candidates, total);
  return { nodes: best === undefined ? body : [best], skipped };
}

interface Candidate {
  readonly element: Element;
  readonly kind: 'main' | 'article';
  length: number;
}

/** Length of the text, collecting on the way the elements that could be the main content, outer ones first. */
function measure(nodes: readonly ChildNode[], skipped: ReadonlySet<ChildNode>, candidates: Candidate[]): number {
  let length = 0;
  for (const node of nodes) {
    if (isText(node)) length += visibleLength(node.data);
    else if (isTag(node) && !skipped.has(node) && !textlessElements.has(node.name)) {
      const kind = candidateKind(node);
      const candidate = kind === undefined ? undefined : { element: node, kind, length: 0 };
      if (candidate !== undefined) candidates.push(candidate);
      const inner = measure(node.children, skipped, candidates);
      if (candidate !== undefined) candidate.length = inner;
      length += inner;
    }
  }
  return length;
}

function candidateKind({ name, attribs }: Element): Candidate['kind'] | undefined {
  if (name === 'main' || attribs['role'] === 'main' || /^(?:main-?content|content-main)$/i.test(attribs['id'] ?? ''))
    return 'main';
  return name === 'article' || attribs['itemprop'] === 'articleBody' || attribs['role'] === 'article'
    ? 'article'
    : undefined;
}

/** A share of the text below which an element that claims to be the content is not believed. */
const mainShareMin = 0.3;
const articleShareMin = 0.5;

function chooseCandidate(candidates: readonly Candidate[], total: number): Element | undefined {
  const main = largest(candidates.filter(({ kind }) => kind === 'main'));
  const scope = main !== undefined && main.length >= total * mainShareMin ? main : undefined;
  // Within main an article is chosen only where it is nearly all of it: else it is one of many.
  const article = largest(candidates.filter(({ kind }) => kind === 'article'));
  const whole = scope?.length ?? total;
  if (article !== undefined && article.length >= whole * articleShareMin) return article.element;
  return scope?.element;
}

function largest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, one) => (best === undefined || one.length > best.length ? one : best),
    undefined,
  );
}

function hasText({ nodes, skipped }: PageContent): boolean {
  return nodes.some((node) => {
    if (isText(node)) return /\S/.test(node.data);
    return (
      isTag(node) &&
      !skipped.has(node) &&
      !textlessElements.has(node.name) &&
      hasText({ nodes: node.children, skipped })
    );
  });
}

function visibleLength(text: string): number {
  return text.length < 40 ? text.trim().length : text.replace(/\s+/g, ' ').length;
}
