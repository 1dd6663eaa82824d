/** Writes the name of a tab above what it shows: without it, two variants of a command cannot be told apart. */
import type { ChildNode, Document, Element, ParentNode } from 'domhandler';
import { isTag } from 'domhandler';
import { noAttributes } from './attributes.ts';
import { attributeOf, newElement, newText } from './nodes.ts';
import { oneLine, textBeginning } from './node-text.ts';

/** Changes the page: panels of ARIA tabs, and those of MkDocs, begin with the name of their tab. */
export function nameTabs(document: Document): void {
  visit(document);
}

function visit(outer: ParentNode): void {
  for (const node of outer.children) {
    if (!isTag(node)) continue;
    if (isTabList(node)) nameTabsOf(node);
    visit(node);
  }
}

/** True for the row of the names. */
export function isTabList(element: Element): boolean {
  if (attributeOf(element, 'role') === 'tablist') return true;
  if (element.name === 'ul') return listNames.test(attributeOf(element, 'class') ?? '');
  return element.name === 'div' && attributeOf(element, 'class') === 'tabbed-labels';
}

/** Of jQuery UI and of Bootstrap before version 4. */
const listNames = /(?:^|\s)(?:ui-tabs-nav|nav-tabs)(?:\s|$)/;
const panelNames = /(?:^|\s)(?:ui-tabs-panel|tab-pane)(?:\s|$)/;

function nameTabsOf(list: Element): void {
  const tabs: Element[] = [];
  collect(list.children, isTab, { found: tabs, left: looksMax });
  const panels = panelsBehind(list);
  if (tabs.length < 2) return;
  tabs.forEach((tab, at) => {
    const id = tab.attribs['aria-controls'] ?? tab.attribs['href']?.slice(1);
    const named = id === undefined ? undefined : panels.find(({ attribs }) => attribs['id'] === id);
    const panel = named ?? (tabs.length === panels.length ? panels[at] : undefined);
    const name = oneLine(textBeginning(tab.children, nameLengthMax + 1));
    if (panel !== undefined && name !== '' && name.length <= nameLengthMax) addName(panel, name);
  });
}

function isTab({ name, attribs }: Element): boolean {
  if (name === 'a') return attribs['role'] === 'tab' || attribs['href']?.startsWith('#') === true;
  return attribs['role'] === 'tab' || (name === 'label' && attribs['for'] !== undefined);
}

function isPanel({ attribs }: Element): boolean {
  const names = attribs['class'] ?? '';
  return attribs['role'] === 'tabpanel' || names === 'tabbed-block' || panelNames.test(names);
}

/** Those of the elements after the list, or after what holds only the list. */
function panelsBehind(list: Element): readonly Element[] {
  let outer = list;
  for (let level = 0; level < levelsMax; level++) {
    const panels: Element[] = [];
    const after: ChildNode[] = [];
    for (let node = outer.next; node !== null && after.length < siblingsMax; node = node.next) after.push(node);
    collect(after, isPanel, { found: panels, left: looksMax });
    const { parent } = outer;
    if (panels.length > 0 || parent === null || !isTag(parent)) return panels;
    outer = parent;
  }
  return [];
}

interface Search {
  readonly found: Element[];
  /** Elements that are still looked at, so that many lists take linear time. */
  left: number;
}

/** Elements within each other are no further ones. */
function collect(nodes: readonly ChildNode[], test: (element: Element) => boolean, search: Search, depth = 0): void {
  for (const node of nodes) {
    if (search.left <= 0 || search.found.length >= tabsMax) return;
    if (!isTag(node)) continue;
    search.left--;
    if (test(node)) search.found.push(node);
    else if (depth < levelsMax && !isTabList(node)) collect(node.children, test, search, depth + 1);
  }
}

function addName(panel: Element, name: string): void {
  const begins = oneLine(textBeginning(panel.children, name.length + 20));
  if (begins === '' || begins.toLowerCase().startsWith(name.toLowerCase())) return;
  const line = newElement('p', noAttributes);
  const strong = newElement('strong', noAttributes);
  const text = newText(name);
  strong.children = [text];
  text.parent = strong;
  line.children = [strong];
  strong.parent = line;
  line.parent = panel;
  const [first] = panel.children;
  line.next = first ?? null;
  if (first !== undefined) first.prev = line;
  panel.children = [line, ...panel.children];
}

const nameLengthMax = 60;
const tabsMax = 50;
const siblingsMax = 60;
const levelsMax = 3;
const looksMax = 500;
