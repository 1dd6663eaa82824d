/** Chooses the part of the page that is its content. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { defaultExcludeElements } from '../../core/exclude-elements.ts';
import { isMostlyLinks } from '../rules/asked.ts';
import { skipBareHeadings } from '../rules/bare-headings.ts';
import { leaveOut } from '../rules/leave-out.ts';
import type { Skip } from '../rules/rule.ts';
import { ruleTable } from '../rules/table.ts';
import type { RuleTable } from '../rules/table.ts';
import { contentQuality } from '../measure/content-quality.ts';
import { attributeOf, isBare } from '../html/nodes.ts';
import { closingLines } from './closing-lines.ts';
import { contactBoxes } from '../rules/contacts.ts';
import { narrowContent } from './narrow-content.ts';
import { noscriptContent } from './noscript-content.ts';
import type { PageContent } from './page-content.ts';
import { pageHeading } from './page-heading.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { findPageKind } from '../measure/page-kind.ts';
import { skipRepeatedBoxes, skipRepeatedHeadings } from '../rules/repeated-boxes.ts';
import { scanPage } from '../scan/scan-page.ts';
import { selectElements } from '../html/select-elements.ts';
import type { Box, MeasuredPage } from '../measure/measure-page.ts';
import { keptLength, measurePage } from '../measure/measure-page.ts';
import { DroppedLengths, outsideRule, postsRule } from './dropped-lengths.ts';
import { titleOf } from '../text/page-title.ts';
import { threadContent } from '../forum/thread-content.ts';

/** The content with the method that found it and its quality from 0 to 1. */
export interface ChosenContent extends PageContent {
  /**
   * `article` and `main` are elements marked as such. `thread` is the posts of a forum, `body` the page without what
   * surrounds its content, `noscript` what it shows without scripts, and `whole` all of it.
   */
  readonly method: 'article' | 'main' | 'body' | 'thread' | 'noscript' | 'whole';
  readonly quality: number;
  /** For the metadata; see {@link contentQuality}. */
  readonly confidence: number;
  /** Those who posted in a thread. */
  readonly authors?: readonly string[];
  /** The page whose boxes have the names of rules; undefined if none were asked. */
  readonly page?: Box;
  /** What the rules left out; undefined if none were asked. */
  readonly dropped?: DroppedLengths;
}

/**
 * `full` is the whole page without the excluded elements. `auto` is the main content if it can be found, and is never
 * empty if the page has text. `excludeElements` is null if the client gave none.
 */
export function chooseContent(
  document: Document,
  content: 'auto' | 'full',
  excludeElements: string | null,
  url = '',
  rules = ruleTable,
  elements = scanPage(document),
): ChosenContent {
  const body = findBody(document);
  const excludedByDefault = (): ReadonlySet<ChildNode> =>
    selectElements(document, excludeElements ?? defaultExcludeElements);
  if (content === 'full') return wholePage(body, excludedByDefault());
  // The default list would remove the header of an article, so only the client's selectors apply here.
  const excluded = excludeElements === null ? new Set<ChildNode>() : selectElements(document, excludeElements);
  const measured = measurePage(body, excluded);
  const noscript = noscriptContent(measured);
  const kind = findPageKind(elements, url, measured.classes);
  const main = mainContent(noscript ?? measured, excluded, { document, kind, url, rules });
  if (main !== undefined) return noscript === undefined ? main : { ...main, method: 'noscript' };
  // All text is hidden: scripts show it part by part.
  const shown = mainContent(measurePage(body, excluded), excluded, { document, kind, url, rules }, true);
  if (shown !== undefined) return shown;
  const whole = wholePage(body, excludedByDefault());
  return whole.quality > 0 || measured.wholeLength === 0 ? whole : wholePage(body, excluded);
}

function wholePage(nodes: readonly ChildNode[], skipped: ReadonlySet<ChildNode>): ChosenContent {
  const { root } = measurePage(nodes, skipped);
  const { quality, confidence } = contentQuality([root], root, 'other');
  return { nodes, skipped, method: 'whole', quality, confidence };
}

function findBody(document: Document): readonly ChildNode[] {
  const html = document.children.find((node) => isTag(node) && node.name === 'html');
  const body = (html !== undefined && isTag(html) ? html : document).children.find(
    (node) => isTag(node) && node.name === 'body',
  );
  return body !== undefined && isTag(body) ? [body] : document.children;
}

interface Search {
  readonly document: Document;
  readonly kind: PageKind;
  readonly url: string;
  readonly rules: RuleTable;
}

/** Returns undefined if no text would be left. */
function mainContent(
  { nodes, root, codeCount }: MeasuredPage,
  excluded: ReadonlySet<ChildNode>,
  { document, kind, url, rules }: Search,
  showsHidden = false,
): ChosenContent | undefined {
  const skipped = new Set(excluded);
  const dropped = new DroppedLengths();
  const skip: Skip = (box, rule) => {
    dropped.add(rule, keptLength(box));
    box.isSkipped = true;
    box.rule = rule;
    if (box.element !== undefined) skipped.add(box.element);
  };
  leaveOut(root, { kind, title: titleOf(document) }, skip, rules, showsHidden);
  const search: CandidateSearch = { found: [], page: kind };
  const total = measure(root, search, undefined);
  const thread = kind === 'discussion' ? threadContent(root, nodes, url) : undefined;
  if (thread !== undefined) {
    const { quality, confidence, textLength } = contentQuality(thread.boxes, root, kind);
    const repeated = new Set([...skipped, ...thread.repeated]);
    for (const element of thread.attached) repeated.delete(element);
    dropped.add(postsRule, total - textLength);
    const { nodes: posts, authors } = thread;
    const sure = authors.length === 0 ? Math.min(confidence, authorlessMax) : confidence;
    return {
      nodes: posts,
      skipped: repeated,
      method: 'thread',
      quality,
      confidence: sure,
      authors,
      page: root,
      dropped,
    };
  }
  const best = chooseCandidate(search, total);
  const as = best?.kind ?? 'body';
  const narrowed = narrowContent(best?.box ?? root, { kind, as, isList: isMostlyLinks(root) });
  const boxes = [...pageHeading(root, narrowed, document, kind), ...narrowed];
  dropped.add(outsideRule, total - boxes.reduce((sum, box) => sum + keptLength(box), 0));
  if (rules.has('repeated-box')) {
    if (!isReference(root, codeCount)) skipRepeatedBoxes(boxes, skip);
    skipRepeatedHeadings(boxes, skip);
  }
  if (rules.has('bare')) skipBareHeadings(boxes, skip);
  const closing = rules.has('closing-line') && kind !== 'product' ? closingLines(root, boxes) : [];
  const beside = rules.has('contact') ? contactBoxes(root, boxes, kind) : [];
  const below = [...closing, ...beside].flatMap(({ element }) => element ?? []);
  for (const element of below) skipped.delete(element);
  const { quality, confidence, textLength } = contentQuality(boxes, root, kind);
  return textLength === 0
    ? undefined
    : {
        nodes: [...boxes.flatMap((box, at) => nodesOf(box, at === boxes.length - 1, nodes)), ...below],
        skipped,
        method: as,
        quality,
        confidence,
        page: root,
        dropped,
      };
}

/** A thread without any author was not read as its readers see it. */
const authorlessMax = 0.4;

/**
 * True for a page with much code. It repeats text for good reasons: overloads of a function have one description, and a
 * signature is made of words that occurred before. Such pages have no carousels.
 */
function isReference({ textLength }: Box, codeCount: number): boolean {
  return codeCount >= codeCountMin && codeCount * charactersPerCodeMax >= textLength;
}

const codeCountMin = 10;
const charactersPerCodeMax = 2000;

/** The last box stands for its children, so it is written without its own element. */
function nodesOf({ element }: Box, isLast: boolean, page: readonly ChildNode[]): readonly ChildNode[] {
  if (element === undefined) return page;
  return isLast ? element.children : [element];
}

interface Candidate {
  readonly box: Box;
  readonly kind: 'main' | 'article';
  /** The enclosing candidate of the same kind. */
  readonly outer: Candidate | undefined;
  length: number;
}

/** Returns the length of the remaining text, and collects boxes that could be the main content, outer ones first. */
function measure(box: Box, search: CandidateSearch, outer: Candidate | undefined): number {
  const kind = box.element === undefined ? undefined : candidateKind(box, box.element, search.page);
  const candidate = kind && { box, kind, outer: outer?.kind === kind ? outer : undefined, length: 0 };
  if (candidate !== undefined) search.found.push(candidate);
  let length = box.ownLength;
  for (const inner of box.boxes) {
    if (!inner.isSkipped) length += measure(inner, search, candidate ?? outer);
  }
  if (candidate !== undefined) candidate.length = length;
  return length;
}

interface CandidateSearch {
  readonly found: Candidate[];
  readonly page: PageKind;
}

function candidateKind(box: Box, element: Element, page: PageKind): Candidate['kind'] | undefined {
  const { name } = element;
  if (name === 'main' || attributeOf(element, 'role') === 'main') return 'main';
  // The description of a product is an article without its price.
  if (page === 'product' && !box.hasH1 && /descr/i.test(attributeOf(element, 'class') ?? '')) return undefined;
  if (name === 'article') return 'article';
  if (isBare(element)) return undefined;
  if (attributeOf(element, 'itemprop') === 'articleBody' || attributeOf(element, 'role') === 'article')
    return 'article';
  return page !== 'discussion' && page !== 'product' && isArticleBody(box) ? 'article' : undefined;
}

/** Posts and teasers have such names too. The largest box counts only if it holds nearly all text of its class. */
function isArticleBody({ named, textLength }: Box): boolean {
  return textLength > 0 && named.isArticleBody && named.textLength <= textLength * onlyShareMax;
}

const onlyShareMax = 1.2;

/**
 * Least share of the text for an element that claims to be the content. Shops have the list of products in `<main>` and
 * the text about them after it.
 */
const mainShareMin: Readonly<Record<PageKind, number>> = { discussion: 0.3, product: 0.6, article: 0.3, other: 0.6 };
/** The same for the main of an article among others. */
const titledShareMin = 0.1;
const articleShareMin = 0.5;
/** On a page that is no article, what stands in `<main>` beside the `<article>` are further parts: lists, dates, contacts. */
const articleShareOfMainMin = 0.75;
/** Applies if no other article has half the length and the page is not a discussion. */
const onlyArticleShareMin = 0.35;

function chooseCandidate({ found, page }: CandidateSearch, length: number): Candidate | undefined {
  const mains = found.filter(({ kind }) => kind === 'main');
  // Of several, that of the comments can be the largest.
  const titled =
    page === 'article'
      ? mains.filter(({ box, length: own }) => (box.hasH1 || box.hasArticle) && own >= length * titledShareMin)
      : [];
  const untitled = titled.length === 0 ? [] : mains.filter((one) => one.outer === undefined && !titled.includes(one));
  const total = length - untitled.reduce((sum, one) => sum + one.length, 0);
  const main = largest(titled.length === 0 ? mains : titled);
  const scope = main !== undefined && main.length >= total * mainShareMin[page] ? main : undefined;
  // One of many articles is not the page.
  const articles = found.filter(({ kind }) => kind === 'article');
  const article = largest(articles);
  if (article === undefined || isPart(article, articles)) return scope;
  const others = articles.filter((one) => one !== article && one.outer === undefined);
  // The title stands in another one: each is a part of the page, such as the ingredients of a recipe.
  if (!article.box.hasH1 && others.some(({ box }) => box.hasH1)) return scope;
  const isOnly = page !== 'discussion' && others.every((one) => one.length < article.length * 0.5);
  const whole = scope?.length ?? total;
  if (page !== 'discussion' && others.some((other) => isInSameList(other, article))) return scope;
  if (article.length >= whole * (page === 'other' && scope !== undefined ? articleShareOfMainMin : articleShareMin))
    return article;
  if (page === 'other' && scope !== undefined) return scope;
  return isOnly && article.length >= whole * onlyArticleShareMin ? article : scope;
}

/** References have an article for each function, and the title of the page stands above all of them. */
function isPart({ box: { element, named, hasH1 } }: Candidate, articles: readonly Candidate[]): boolean {
  if (hasH1 || element?.name !== 'article' || element.attribs['class'] === undefined) return false;
  return articles.some(
    ({ box }) => box.element !== element && box.element?.parent === element.parent && box.named === named,
  );
}

/** The long text of one product does not make the other products less of a list. */
function isInSameList(other: Candidate, article: Candidate): boolean {
  if (other.length < article.length * sisterShareMin || other.box.named !== article.box.named) return false;
  const [parent, otherParent] = [article.box.element?.parent, other.box.element?.parent];
  return parent === otherParent || parent?.parent === otherParent?.parent;
}

const sisterShareMin = 0.3;

function largest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, one) => (best === undefined || one.length > best.length ? one : best),
    undefined,
  );
}
