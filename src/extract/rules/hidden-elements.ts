/** Recognizes hidden elements by their attributes and by class names of common style sheets. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nextElementSibling, prevElementSibling } from 'domutils';
import { headingElements } from '../html/element-kinds.ts';
import { endsSentence, isBlank, textBeginning } from '../html/node-text.ts';
import { attributeBits, attributeOf, knownAttributes } from '../html/nodes.ts';
import type { Box } from '../measure/measure-page.ts';

/** Keeps closed accordion sections and inactive tabs: readers open them, so they are content. */
export function isFolded(element: Element, box: Box): boolean {
  const { textLength, linkLength, named } = box;
  const role = attributeOf(element, 'role');
  if (textLength === 0) return false;
  if (linkLength > textLength * 0.5) return role === 'tabpanel' && endsSentence(element);
  if (role === 'tabpanel' || role === 'region' || isOpenedBefore(element, box)) return true;
  // In a group of answers, a single one can be short.
  if (Math.max(named.textLength, textLength) < foldedLengthMin) return false;
  return foldedNames.test(`${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''}`);
}

/**
 * True if a button or tab right before the element, alone or in a box, says that it opens it. Without naming it, the
 * button opens a text: no menu and no form.
 */
function isOpenedBefore(element: Element, { linkLength, hasControl }: Box): boolean {
  const before = prevElementSibling(element);
  const opensText = linkLength === 0 && !hasControl;
  if (before === null) return false;
  // The box of a question and its answer can say that it is closed.
  const { parent } = element;
  if (opensText && parent !== null && isTag(parent) && opensItself(parent)) return true;
  if (opensText && headingElements.has(before.name) && (asks(before) || isOneOfTitles(before))) return true;
  const control = controlBoxes.has(before.name) && !opens(before) ? before.children.find(isTag) : before;
  if (control === undefined) return false;
  const id = element.attribs['id'];
  if (id !== undefined && control.attribs['aria-controls'] === id) return true;
  return opensText && (opens(control) || isOneOfTitles(control));
}

/** What controls another element opens that one. */
function opensItself({ attribs }: Element): boolean {
  return attribs['aria-expanded'] !== undefined && attribs['aria-controls'] === undefined;
}

const controlBoxes: ReadonlySet<string> = new Set([...headingElements, 'header', 'dt', 'div', 'p', 'span']);

function opens({ name, attribs }: Element): boolean {
  const names = attribs['class'] ?? '';
  return attribs['aria-expanded'] !== undefined || (name === 'button' ? foldedNames : questionNames).test(names);
}

/** True for a button or heading that begins its box, next to a like box that begins with one of another name. */
function isOneOfTitles({ name, prev, parent, children }: Element): boolean {
  const isTitle = name === 'button' || headingElements.has(name);
  if (!isTitle || parent === null || !isTag(parent) || !isNothing(prev)) return false;
  const names = parent.attribs['class'];
  const isOther = (box: Element | null): boolean => {
    const title = box?.attribs['class'] === names ? box?.children.find(isTag) : undefined;
    if (title?.name !== name) return false;
    return textBeginning(title.children, questionLengthMax) !== textBeginning(children, questionLengthMax);
  };
  return isOther(nextElementSibling(parent)) || isOther(prevElementSibling(parent));
}

/** True for a button that opens the text after it, or asks what that text answers. It is the title of that text. */
export function isTitleOfFold(button: Element): boolean {
  const box = boxAlone(button);
  const after = nextElementSibling(button) ?? (box && nextElementSibling(box));
  if (!after || !foldElements.has(after.name)) return false;
  if (!opens(button) && !asks(button) && !isOneOfTitles(button)) return false;
  if (saysToggle.test(textBeginning(button.children, foldLengthMin * 2))) return false;
  return textBeginning(after.children, foldLengthMin * 2).trim().length >= foldLengthMin;
}

/** True if it ends with a question mark. */
function asks({ children }: Element): boolean {
  return question.test(textBeginning(children, questionLengthMax));
}

/** The box that holds nothing but the button. */
function boxAlone({ prev, next, parent }: Element): Element | undefined {
  return parent !== null && isTag(parent) && isNothing(prev) && isNothing(next) ? parent : undefined;
}

function isNothing(node: ChildNode | null): boolean {
  return node === null || isBlank(node);
}

/** What a button does, not what is below it. */
const saysToggle = /^(?:toggle|expand all|collapse all)(?![\p{L}-])/iu;
const foldElements: ReadonlySet<string> = new Set(['div', 'section', 'dd', 'p', 'ul', 'ol', 'article']);
const question = /[?？؟]\s*$/;
const questionLengthMax = 300;
const foldLengthMin = 8;
export const foldedLengthMin = 80;
const foldedNames =
  /(?:^|[\s_-])(?:accordion|collaps(?:e|ed|ible)|disclosure|expander|toggle|tab-?panel|tab-?(?:pane|content)|faq|answer|panel)s?(?:$|[\s_-])/i;

/** Of what a reader points at to see the answer. */
const questionNames =
  /(?:^|[\s_-])(?:question|accordion-?(?:title|header|head)|toggle-?title|faq-?(?:title|q))(?:$|\s)/i;

/** Checks the element's own attributes, not style sheets. */
export function isHidden(element: Element): boolean {
  if ((knownAttributes(element) & hiding) === 0) return false;
  const id = attributeOf(element, 'id');
  // React streams late parts of a page to its end, hidden until a script moves them into place.
  if (id !== undefined && /^S:[\da-z]+$/.test(id)) return false;
  const hidden = attributeOf(element, 'hidden');
  if (hidden !== undefined && hidden !== 'until-found') return true;
  const style = attributeOf(element, 'style');
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

const hiding = attributeBits('hidden', 'style');

/**
 * Hidden by class names of common style sheets. `d-none d-md-block` and `hidden md:block` are shown on wide screens.
 */
export function isHiddenByName(element: Element): boolean {
  const names = attributeOf(element, 'class');
  return names !== undefined && hidingName.test(names) && !showingName.test(names);
}

const hidingName = /(?:^|\s)(?:d-none|hidden|hide|is-hidden)(?:$|\s)/;
const showingName = /(?:^|\s)(?:d-[a-z]{2,3}-(?!none)|[a-z\d]{2,3}:(?!hidden))/;
