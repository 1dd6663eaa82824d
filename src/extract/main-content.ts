/** Chooses the part of the page that is its content. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { defaultExcludeElements } from '../core/exclude-elements.ts';
import { skipBareHeadings } from './bare-headings.ts';
import { skipBoilerplate } from './boilerplate.ts';
import { contentQuality } from './content-quality.ts';
import { noAttributes } from './html/attributes.ts';
import { narrowContent } from './narrow-content.ts';
import { noscriptContent } from './noscript-content.ts';
import type { PageContent } from './page-content.ts';
import { pageHeading } from './page-heading.ts';
import { findPageKind } from './page-kind.ts';
import { skipRepeatedBoxes, skipRepeatedHeadings } from './repeated-boxes.ts';
import { selectElements } from './select-elements.ts';
import type { Box, Survey } from './survey.ts';
import { surveyPage } from './survey.ts';

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
  const excludedByDefault = (): ReadonlySet<ChildNode> =>
    selectElements(document, excludeElements ?? defaultExcludeElements);
  if (content === 'full') return wholePage(body, excludedByDefault());
  // The default list would take an article's own header, so only the client's selectors count here.
  const excluded = excludeElements === null ? new Set<ChildNode>() : selectElements(document, excludeElements);
  const survey = surveyPage(body, excluded);
  const noscript = noscriptContent(survey);
  const main = mainContent(noscript ?? survey, excluded, document);
  if (main !== undefined) return noscript === undefined ? main : { ...main, method: 'noscript' };
  const whole = wholePage(body, excludedByDefault());
  return whole.quality > 0 || survey.wholeLength === 0 ? whole : wholePage(body, excluded);
}

function wholePage(nodes: readonly ChildNode[], skipped: ReadonlySet<ChildNode>): ChosenContent {
  return { nodes, skipped, method: 'whole', quality: contentQuality([surveyPage(nodes, skipped).root]).quality };
}

function findBody(document: Document): readonly ChildNode[] {
  const html = document.children.find((node) => isTag(node) && node.name === 'html');
  const body = (html !== undefined && isTag(html) ? html : document).children.find(
    (node) => isTag(node) && node.name === 'body',
  );
  return body !== undefined && isTag(body) ? [body] : document.children;
}

/** Undefined when no text would be left. */
function mainContent(
  { nodes, root }: Survey,
  excluded: ReadonlySet<ChildNode>,
  document: Document,
): ChosenContent | undefined {
  const kind = findPageKind(document.children);
  const skipped = new Set(excluded);
  const skip = (box: Box): void => {
    box.isSkipped = true;
    if (box.element !== undefined) skipped.add(box.element);
  };
  skipBoilerplate(root, kind, skip);
  const candidates: Candidate[] = [];
  const total = measure(root, candidates);
  const best = chooseCandidate(candidates, total);
  const narrowed = narrowContent(best?.box ?? root, kind);
  const heading = pageHeading(root, narrowed, document);
  const boxes = heading === undefined ? narrowed : [heading, ...narrowed];
  skipRepeatedBoxes(boxes, skip);
  skipRepeatedHeadings(boxes, skip);
  skipBareHeadings(boxes, skip);
  const { quality, textLength } = contentQuality(boxes);
  return textLength === 0
    ? undefined
    : {
        nodes: boxes.flatMap((box, at) => nodesOf(box, at === boxes.length - 1, nodes)),
        skipped,
        method: best?.kind ?? 'body',
        quality,
      };
}

/** The last box is there for what it holds, so that it is written without its own element. */
function nodesOf({ element }: Box, isLast: boolean, page: readonly ChildNode[]): readonly ChildNode[] {
  if (element === undefined) return page;
  return isLast ? element.children : [element];
}

interface Candidate {
  readonly box: Box;
  readonly kind: 'main' | 'article';
  length: number;
}

/** Length of the text that is left, collecting on the way the boxes that could be the main content, outer ones first. */
function measure(box: Box, candidates: Candidate[]): number {
  const kind = box.element === undefined ? undefined : candidateKind(box.element);
  const candidate = kind === undefined ? undefined : { box, kind, length: 0 };
  if (candidate !== undefined) candidates.push(candidate);
  let length = box.ownLength;
  for (const inner of box.boxes) {
    if (!inner.isSkipped) length += measure(inner, candidates);
  }
  if (candidate !== undefined) candidate.length = length;
  return length;
}

function candidateKind({ name, attribs }: Element): Candidate['kind'] | undefined {
  if (attribs === noAttributes) return name === 'main' || name === 'article' ? name : undefined;
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
