/** Elements and roles that say what they are: navigation, banners, dialogs, controls of a form. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { existsOne, filter } from 'domutils';
import { textBeginning } from '../html/node-text.ts';
import { attributeOf } from '../html/nodes.ts';
import type { Box } from '../measure/measure-page.ts';
import { isContact, isContactCard } from './contacts.ts';
import { isNamedIn, tidyHeading } from '../text/page-title.ts';
import { isTitleOfFold } from './hidden-elements.ts';
import { controlOf, isChoice, isOrderForm } from './product-choices.ts';
import type { Drop, Shield } from './rule.ts';
import { isProse } from './section-heads.ts';

export const landmarkDrops = [
  {
    name: 'landmark',
    needs: 'role',
    // An element or a role that says so: menus, the foot of the page, what is laid over it.
    when: ({ element }) => landmarks.has(element.name) || removedRoles.has(attributeOf(element, 'role') ?? ''),
  },
  {
    name: 'header',
    // The title of the page stays, with what is written below it, but not a list of other pages.
    when: ({ element, outer }) =>
      element.name === 'header' || (outer.element?.name === 'header' && listsPages(element)),
  },
  { name: 'button', elements: ['button'], when: () => true },
  { name: 'form', elements: ['form'], when: () => true },
  { name: 'label', elements: ['label'], when: () => true },
] as const satisfies readonly Drop[];

export const landmarkShields: readonly Shield[] = [
  {
    name: 'header-of-content',
    from: 'all',
    elements: ['header'],
    when: ({ box, element, place }) => place.article !== undefined || box.hasH1 || holdsTitle(element, place.title),
  },
  {
    name: 'contact',
    // Who answers, where and when is what many a page is for. The foot of a page says it on all pages.
    from: ['landmark', 'named-navigation'],
    kinds: ['other'],
    when: (asked) => {
      const { box, element, group } = asked;
      if (element.name === 'aside') return existsOne(isContact, element.children);
      return (
        group === 'navigation' && !landmarks.has(element.name) && isContactCard(box, element) && !asked.isNamed(/foot/i)
      );
    },
  },
  {
    name: 'button-with-text',
    // In a heading or a sentence, as the title of what it opens, or around a picture of the text, it is read.
    from: 'all',
    elements: ['button'],
    when: ({ box, element, isInHeading, isInSentence }) =>
      box.textLength > 0
        ? isInHeading || isInSentence || isTitleOfFold(element) || holdsText(element) || isParagraph(element, box)
        : box.hasImage && enlargesPicture(element),
  },
  {
    name: 'role-with-text',
    from: ['landmark'],
    // Shops announce a changed price, and what is in stock, as a status.
    when: ({ box, element, place: { kind, article } }) => {
      const role = element.attribs['role'] ?? '';
      if (landmarks.has(element.name)) return false;
      if (role === 'banner' && article !== undefined) return true;
      if (role === 'status' && kind === 'product' && box.linkLength === 0) return true;
      return box.hasH1 || (holdingRoles.has(role) && isProse(box));
    },
  },
  {
    name: 'large-form',
    from: 'all',
    elements: ['form'],
    // Some shops write a whole product as a form.
    when: ({ box, share, place: { article } }) =>
      share >= formShareMax ||
      box.hasH1 ||
      box.hasArticle ||
      (article !== undefined && box.textLength >= article.textLength * formOfArticleMin),
  },
  {
    name: 'order-form',
    // Sizes, colours and what is in stock stand in the form that puts a product into the cart.
    from: ['form', 'named-surrounding'],
    elements: ['form'],
    when: ({ element, place }) => isOrderForm(element, place.kind),
  },
  {
    name: 'label-of-text',
    // Without a control beside it, it names the value that follows.
    from: ['label'],
    when: ({ element }) => element.attribs['for'] === undefined && controlOf(element) === undefined,
  },
  {
    name: 'choice',
    from: ['label', 'named-surrounding'],
    elements: ['label'],
    kinds: ['product', 'other'],
    when: ({ element, place: { kind, isInOrder } }) =>
      (kind === 'product' || isInOrder) && isChoice(element, isInOrder),
  },
];

/** True if several headings are links. */
function listsPages({ children }: Element): boolean {
  const isTitle = (node: ChildNode): boolean =>
    isTag(node) && /^h[2-6]$/.test(node.name) && existsOne(({ name }) => name === 'a', node.children);
  return filter(isTitle, children, true, listedPagesMin).length === listedPagesMin;
}

const listedPagesMin = 3;

/** True if a heading in it says what the title of the page says. */
function holdsTitle({ children }: Element, title: string): boolean {
  return title !== '' && existsOne((one) => /^h[1-4]$/.test(one.name) && isNamedIn(title, tidyHeading(one)), children);
}

/** The only such button of its box, with a picture that is larger than a sign or stands in a figure. Small ones change another picture. */
function enlargesPicture({ children, parent }: Element): boolean {
  if (parent === null || !isTag(parent)) return false;
  const isImage = ({ name }: Element): boolean => name === 'img';
  const isPictured = (node: ChildNode): boolean =>
    isTag(node) && node.name === 'button' && existsOne(isImage, node.children);
  if (parent.children.filter(isPictured).length > 1) return false;
  const isFigure = ({ name }: Element): boolean => name === 'figure';
  if (isFigure(parent) || existsOne(isFigure, children)) return true;
  return existsOne((one) => isImage(one) && Number(one.attribs['width']) >= pictureWidthMin, children);
}

const pictureWidthMin = 300;

/** A paragraph, a caption, a link or the address of an interface: a button around a part of the text opens more of it. */
function holdsText({ children }: Element): boolean {
  return existsOne(
    (one) =>
      one.name === 'p' ||
      one.name === 'figcaption' ||
      (one.name === 'a' && one.attribs['href'] !== undefined) ||
      path.test(textBeginning(one.children, 20)),
    children,
  );
}

/** A sentence that opens more, such as "Prices include VAT" of a shop: alone in its paragraph. */
function isParagraph({ parent }: Element, { textLength }: Box): boolean {
  return textLength >= sentenceLengthMin && parent !== null && isTag(parent) && parent.name === 'p';
}

const sentenceLengthMin = 25;
const path = /^\s*\/[\w{]/;
const formShareMax = 0.4;
/** Of the article around it. */
const formOfArticleMin = 0.5;

export const landmarks: ReadonlySet<string> = new Set(['nav', 'footer', 'dialog']);
const removedRoles: ReadonlySet<string> = new Set(
  'navigation banner contentinfo search dialog alertdialog alert menu menubar toolbar tablist status complementary'.split(
    ' ',
  ),
);

/** With prose inside, these roles contain what they control: tabs with their panels, a list with its menus. */
const holdingRoles: ReadonlySet<string> = new Set('tablist menu menubar toolbar status alert search'.split(' '));
