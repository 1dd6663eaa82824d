/** Recognizes hidden elements by their attributes and by class names of common style sheets. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nextElementSibling, prevElementSibling } from 'domutils';
import { headingElements } from '../html/element-kinds.ts';
import { isBlank, textBeginning } from '../html/node-text.ts';
import { attributeBits, attributeOf, knownAttributes } from '../html/nodes.ts';
import type { Box } from '../measure/measure-page.ts';

/** Keeps closed accordion sections and inactive tabs: readers open them, so they are content. */
export function isFolded(element: Element, box: Box): boolean {
  const { textLength, linkLength, named } = box;
  const role = attributeOf(element, 'role');
  if (textLength === 0 || linkLength > textLength * 0.5) return false;
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
  if (opensText && headingElements.has(before.name) && asks(before)) return true;
  const control = controlBoxes.has(before.name) && !opens(before) ? before.children.find(isTag) : before;
  if (control === undefined) return false;
  const id = element.attribs['id'];
  if (id !== undefined && control.attribs['aria-controls'] === id) return true;
  return opensText && opens(control);
}

const controlBoxes: ReadonlySet<string> = new Set([...headingElements, 'header', 'dt', 'div', 'p', 'span']);

function opens({ name, attribs }: Element): boolean {
  const names = attribs['class'] ?? '';
  return attribs['aria-expanded'] !== undefined || (name === 'button' ? foldedNames : questionNames).test(names);
}

/** True for a button that opens the text after it, or asks what that text answers. It is the title of that text. */
export function isTitleOfFold(button: Element): boolean {
  const box = boxAlone(button);
  const after = nextElementSibling(button) ?? (box && nextElementSibling(box));
  if (!after || !foldElements.has(after.name) || saysToggle.test(textBeginning(button.children, 20))) return false;
  return opens(button) || asks(button);
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
const saysToggle = /^\s*(?:toggle|expand all|collapse all)(?![\p{L}-])/iu;
const foldElements: ReadonlySet<string> = new Set(['div', 'section', 'dd', 'p', 'ul', 'ol', 'article']);
const question = /[?？؟]\s*$/;
const questionLengthMax = 300;
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
