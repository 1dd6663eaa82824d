/** Chooses the part of the page that is its content. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textlessElements } from './element-kinds.ts';
import { defaultExcludeElements } from '../core/exclude-elements.ts';
import { findBoilerplate } from './boilerplate.ts';
import { contentQuality } from './content-quality.ts';
import { narrowContent } from './narrow-content.ts';
import { findNoscriptContent } from './noscript-content.ts';
import type { PageContent } from './page-content.ts';
import type { PageKind } from './page-kind.ts';
import { findPageKind } from './page-kind.ts';
import { findRepeatedBoxes } from './repeated-boxes.ts';
import { surveyPage } from './survey.ts';
import { selectElements } from './select-elements.ts';
import { visibleLength } from './visible-length.ts';

/** How the content was found; `quality` is how sure that is, from 0 to 1. */
export interface ChosenContent extends PageContent {
  /**
   * `article` and `main` are elements that say so of themselves, `body` is the page less what surrounds its content,
   * `noscript` what it shows without scripts, `whole` all of it.
   */
  readonly method: 'article' | 'main' | 'body' | 'noscript' | 'whole';
  readonly quality: number;
}

/**
 * `full` is the whole page less what is excluded. `auto` is the main content where it can be told apart; it is never
 * empty when the page has text. `excludeElements` is null where the client gave none.
 */
export function chooseContent(
  document: Document,
  content: 'auto' | 'full',
  excludeElements: string | null,
): ChosenContent {
  const body = findBody(document);
  const byDefault = (): PageContent => ({
    nodes: body,
    skipped: selectElements(document, excludeElements ?? defaultExcludeElements),
  });
  if (content === 'full') return judged(byDefault(), 'whole');
  // The default list would take an article's own header, so only the client's selectors count here.
  const excluded = excludeElements === null ? new Set<ChildNode>() : selectElements(document, excludeElements);
  const noscript = findNoscriptContent(body, excluded);
  const main = mainContent(noscript ?? body, excluded, findPageKind(document.children));
  if (hasText(main)) return judged(main, noscript === undefined ? main.method : 'noscript');
  const whole = byDefault();
  return judged(hasText(whole) ? whole : { nodes: body, skipped: excluded }, 'whole');
}

function judged({ nodes, skipped }: PageContent, method: ChosenContent['method']): ChosenContent {
  return { nodes, skipped, method, quality: contentQuality({ nodes, skipped }) };
}

function findBody(document: Document): readonly ChildNode[] {
  const html = document.children.find((node) => isTag(node) && node.name === 'html');
  const body = (html !== undefined && isTag(html) ? html : document).children.find(
    (node) => isTag(node) && node.name === 'body',
  );
  return body !== undefined && isTag(body) ? [body] : document.children;
}

function mainContent(
  body: readonly ChildNode[],
  excluded: ReadonlySet<ChildNode>,
  kind: PageKind,
): Omit<ChosenContent, 'quality'> {
  const survey = surveyPage(body);
  const skipped = findBoilerplate(body, excluded, kind, survey);
  const candidates: Candidate[] = [];
  const total = measure(body, skipped, candidates);
  const best = chooseCandidate(candidates, total);
  const nodes = narrowContent({ nodes: best === undefined ? body : [best.element], skipped }, kind);
  return {
    nodes,
    skipped: new Set([...skipped, ...findRepeatedBoxes({ nodes, skipped }, survey)]),
    method: best?.kind ?? 'body',
  };
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

function chooseCandidate(candidates: readonly Candidate[], total: number): Candidate | undefined {
  const main = largest(candidates.filter(({ kind }) => kind === 'main'));
  const scope = main !== undefined && main.length >= total * mainShareMin ? main : undefined;
  // Within main an article is chosen only where it is nearly all of it: else it is one of many.
  const article = largest(candidates.filter(({ kind }) => kind === 'article'));
  const whole = scope?.length ?? total;
  if (article !== undefined && article.length >= whole * articleShareMin) return article;
  return scope;
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
