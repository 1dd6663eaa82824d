/** Leaves out of the text what its metadata delivers: author, dates and site in lines of their own around the prose. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { existsOne } from 'domutils';
import type { PageMetadata } from '../core/page.ts';
import { blockElements, headingElements } from './html/element-kinds.ts';
import { isBlank, oneLine, textBeginning } from './html/node-text.ts';
import { findDate } from './metadata/iso-date.ts';
import { fold } from './phrases/fold.ts';
import { phrases } from './phrases/phrases.ts';
import type { PageContent } from './content/page-content.ts';

/**
 * Returns the nodes of the lines of an article above its first paragraphs and below the last that say nothing else. The
 * date on any other page can be that of an event.
 */
export function saidOnce({ nodes, skipped }: PageContent, metadata: PageMetadata): readonly Element[] {
  const said = saidIn(metadata);
  if (!isArticle(metadata) || said.times.length === 0) return [];
  const lines = [false, true].flatMap((isUpwards) => {
    const walk: Walk = { skipped, isUpwards, proseLeft: isUpwards ? 1 : leadsMax, lines: [] };
    collect(nodes, walk);
    return linesSaid(isUpwards ? walk.lines.toReversed() : walk.lines, said, !isUpwards);
  });
  return elementsOf(lines);
}

/** Standfirst and caption can stand above the byline. */
const leadsMax = 3;

function isArticle({ type, ogType }: PageMetadata): boolean {
  return ogType === 'article' || (typeof type === 'string' && /Article$|^BlogPosting$/.test(type));
}

interface Said {
  /** Folded. */
  readonly names: readonly string[];
  /** ISO 8601. */
  readonly times: readonly string[];
}

function saidIn({ author, siteName, publishedTime, modifiedTime }: PageMetadata): Said {
  const texts = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);
  return {
    names: [...texts(author).flatMap((names) => names.split(', ')), ...texts(siteName)].map(fold).filter(Boolean),
    times: [...texts(publishedTime), ...texts(modifiedTime)],
  };
}

interface Line {
  readonly nodes: readonly ChildNode[];
  readonly text: string;
}

interface Walk {
  readonly skipped: ReadonlySet<ChildNode>;
  /** From the end of the content. */
  readonly isUpwards: boolean;
  /** Paragraphs until the end of the search. */
  proseLeft: number;
  readonly lines: Line[];
}

function collect(nodes: readonly ChildNode[], walk: Walk): void {
  let line: ChildNode[] = [];
  for (const node of walk.isUpwards ? nodes.toReversed() : nodes) {
    if (walk.proseLeft === 0) return;
    if (walk.skipped.has(node)) continue;
    if (!isTag(node) || !isBlock(node)) line.push(node);
    else {
      endLine(line, walk);
      line = [];
      if (headingElements.has(node.name)) walk.lines.push({ nodes: [], text: '' });
      else if (!keptWhole.has(node.name)) collect(node.children, walk);
    }
  }
  endLine(line, walk);
}

/** Of terms and cells, a date is the value of another one. */
const keptWhole: ReadonlySet<string> = new Set(['pre', 'dl', 'table', 'blockquote']);

/** Looks at few levels, since inline elements can be nested. */
function isBlock({ name, children }: Element, depth = inlineDepthMax): boolean {
  if (name === 'br' || blockElements.has(name)) return true;
  return depth > 0 && children.some((child) => isTag(child) && isBlock(child, depth - 1));
}

const inlineDepthMax = 4;

function endLine(nodes: readonly ChildNode[], walk: Walk): void {
  if (walk.proseLeft === 0) return;
  const text = oneLine(textBeginning(walk.isUpwards ? nodes.toReversed() : nodes, lineLengthMax * 2));
  if (text === '') return;
  walk.lines.push({ nodes, text });
  if (text.length >= proseLengthMin || (walk.isUpwards && /[.!?。！？]$/.test(text))) walk.proseLeft--;
}

const proseLengthMin = 80;
const lineLengthMax = 160;

/** A label can stand in the line before its value; the value of another label stays. */
function linesSaid(lines: readonly Line[], said: Said, isAbove: boolean): readonly Line[] {
  const found: Line[] = [];
  let [before, valuesBefore]: [Line | undefined, Values | undefined] = [undefined, undefined];
  for (const line of lines) {
    const values = line.text.length > lineLengthMax || hasImage(line) ? undefined : valuesOf(line.text, said);
    const isLabelled = before?.text.endsWith(':') === true;
    if (values !== undefined && (!isLabelled || valuesBefore !== undefined)) {
      if (values.hasTime || (values.hasName && (values.hasLabel || isAbove))) {
        if (before !== undefined && valuesBefore?.hasLabel === true) found.push(before);
        found.push(line);
      }
    }
    [before, valuesBefore] = [line, values];
  }
  return found;
}

/** Returns the elements that hold these lines and nothing else; no part of a line that stands beside other text. */
function elementsOf(lines: readonly Line[]): readonly Element[] {
  const said = new Set(lines.flatMap(({ nodes }) => nodes).filter((node) => !isBlank(node)));
  const whole = (node: ChildNode): ChildNode => {
    const { parent } = node;
    if (!parent || !isTag(parent) || parent.children.some((one) => !said.has(one) && !isBlank(one))) return node;
    said.add(parent);
    return whole(parent);
  };
  return lines.flatMap(({ nodes }) => {
    const elements = nodes.filter((node) => !isBlank(node)).map(whole);
    return elements.every(isTag) ? elements : [];
  });
}

function hasImage({ nodes }: Line): boolean {
  return existsOne(({ name }) => name === 'img', [...nodes]);
}

interface Values {
  hasName: boolean;
  hasTime: boolean;
  hasLabel: boolean;
}

/** Returns undefined if the line says anything else. */
function valuesOf(text: string, { names, times }: Said): Values | undefined {
  const values = { hasName: false, hasTime: false, hasLabel: false };
  let rest: string = fold(text);
  while ((rest = rest.replace(/^[^\p{L}\p{N}]+/u, '')) !== '') {
    const name = names.find((one) => rest.startsWith(one) && !/^[\p{L}\p{N}]/u.test(rest.slice(one.length)));
    const time = timeAt(rest, times);
    const label = labelLength(rest);
    const length = name?.length ?? (time || label || (joining.exec(rest)?.[0].length ?? 0));
    if (length === 0) return undefined;
    values.hasName ||= name !== undefined;
    values.hasTime ||= name === undefined && time > 0;
    values.hasLabel ||= label > 0;
    rest = rest.slice(length);
  }
  return values;
}

/** Returns the length of the date with which the text begins if it is one of these; otherwise 0. */
function timeAt(text: string, times: readonly string[]): number {
  for (const order of ['day', 'month'] as const) {
    const found = findDate(text, order);
    if (found?.start !== 0) continue;
    const [day = '', clock] = found.date.split('T');
    if (times.some((time) => time.startsWith(day) && (clock === undefined || time.includes('T')))) return found.end;
  }
  return 0;
}

/** A label such as "Last updated" can be followed by anything, so its shortest form counts. */
function labelLength(text: string): number {
  if (!labels.mayStart(text)) return 0;
  if (/^\p{Script=Han}/u.test(text)) return labels.startIn(fold(text));
  for (const { 0: word, index } of text.slice(0, labelLengthMax).matchAll(/\p{L}+/gu)) {
    const end = index + word.length;
    if (labels.startIn(fold(text.slice(0, end))) > 0) return end;
  }
  return 0;
}

const labelLengthMax = 40;
const labels = phrases('by', 'author', 'posted', 'published', 'updated', 'weekday');
/** Zones of time, and short words between two values. */
const joining = /^(?:uhr|utc|gmt|[a-z]{1,3}t|and|und|\p{Script=Latin}{1,2})(?![\p{L}\p{N}])/u;
