/** Reads when a post was written. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { oneLine, textBeginning } from '../html/node-text.ts';
import { fold, unfoldedAfter } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';

/** The dates next to a post, the most certain first. */
export interface PostDates {
  marked?: string;
  stated?: string;
  plain?: string;
  /** Such as "3 years ago". */
  vague?: string;
  modified?: string;
  /** The text before the current node: its label, such as "Joined:". */
  before: string;
}

/** Returns an empty string if the post has no date. */
export function dateOf({ marked, stated, plain, vague, modified }: PostDates): string {
  return marked ?? stated ?? plain ?? vague ?? modified ?? '';
}

/** Returns false if the element is the date of an edit. */
export function readDate(element: Element, dates: PostDates): boolean {
  const { name, attribs } = element;
  const names = attribs['class'] ?? '';
  const itemprop = dateProps.exec(attribs['itemprop'] ?? '')?.[1];
  const isDate = itemprop !== undefined || timeElements.has(name) || dateNames.test(names);
  if (!isDate && !smallNames.test(names)) return true;
  if (joinNames.test(names) || saysOtherDate(dates.before)) return true;
  const text = dateLine(textBeginning(element.children, beginningLength));
  if (updated.startIn(fold(text)) > 0) return false;
  if (saysOtherDate(text)) return true;
  const date = isYear.test(text) && text.length <= shortLengthMax ? text : isDate ? statedIn(element, text) : '';
  const kind = itemprop === 'Modified' ? 'modified' : !isYear.test(date) ? 'vague' : text === '' ? 'stated' : 'marked';
  if (date !== '') dates[kind] ??= date;
  return true;
}

/** A text such as "3 years ago" counts if the element states nothing better. */
function statedIn(element: Element, text: string): string {
  const inner = element.children.find((node) => isTag(node));
  for (const { attribs } of [element, ...(inner === undefined || !isTag(inner) ? [] : [inner])]) {
    const day = /^\d{4}-\d\d-\d\d(?=$|[T ])/.exec(
      attribs['datetime'] ?? attribs['content'] ?? attribs['ts'] ?? attribs['title'] ?? '',
    );
    if (day !== null) return day[0];
    const title = oneLine((attribs['title'] ?? '').slice(0, beginningLength));
    if (isPlainDate(title)) return title;
  }
  return /\d/.test(text) && text.length <= shortLengthMax ? text : '';
}

/** Reads a text that is a date and nothing else: old forums have no element for it. */
export function readPlainDate(data: string, dates: PostDates): void {
  const text = data.trim();
  if (text === '') return;
  const label = dates.before;
  dates.before = text.slice(-labelLengthMax);
  if (dates.plain !== undefined) return;
  if (data.length > beginningLength || !isYear.test(data) || saysOtherDate(label)) return;
  if (label.endsWith(':') && posted.endIn(fold(label.slice(0, -1))) === -1) return;
  const date = dateLine(oneLine(data))
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .replace(/^\p{Lo}{2,6}\s(?=\d)/u, '')
    .replace(/[^\p{L}\p{N}.]+$/u, '');
  if (isPlainDate(date)) dates.plain = date;
}

const labelLengthMax = 40;

/** Returns true for a date with nothing else. */
export function isPlainDate(text: string): boolean {
  if (text.length > plainLengthMax || !isYear.test(text) || saysOtherDate(text)) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters > plainLettersMax) return false;
  return dayForms.test(text);
}

/** Returns true for a line with a date in it. */
export function saysDay(text: string): boolean {
  return isYear.test(text) && dayForms.test(text);
}

/** A day with numbers only, a time, or a day and a month with a year. */
const dayForms =
  /\d[/.-]\d{1,2}[/.-]\d|\d[年년]\s?\d|\d:\d\d|\p{L}{3,12}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d|\d(?:st|nd|rd|th|\.)?\s(?:de\s)?\p{L}{3,12}[.,]?\s(?:de\s)?(?:19|20)\d\d/u;

const plainLengthMax = 50;
/** "Wednesday, September 17 at 5 pm". */
const plainLettersMax = 24;
const isYear = /(?<!\d)(?:19|20)\d\d(?!\d)/;

/** When the author became a member, or the text was changed. */
function saysOtherDate(text: string): boolean {
  return otherDates.lastIn(fold(text)) !== -1;
}

const otherDates = phrases('joined', 'updated');
const updated = phrases('updated');
const posted = phrases('posted');

/** Without marks and words before a date, such as "« Reply #1 on: ". */
function dateLine(text: string): string {
  const line = oneLine(text.replaceAll(/[«»]/g, ' '));
  return unfoldedAfter(line, posted.startIn(fold(line.slice(0, labelLengthMax))))
    .trimStart()
    .replace(/^(?:[^\d:#]{0,20}#\d{1,9}[^\d:]{0,20}|[^\d:]{1,20}):\s/, '');
}

/** Small print of a post. It is a date only with a year. */
const smallNames = /(?:^|\s)(?:smalltext|postinfo)(?:\s|$)/;

const joinNames = /join|regist|since|birth/i;

const timeElements: ReadonlySet<string> = new Set(['time', 'relative-time', 'time-ago', 'faceplate-timeago']);
const dateProps = /^date(Created|Published|Modified)$/;
const dateNames =
  /(?:^|[\s_-])(?:date|time|timestamp|age|date-?time|post(?:ed)?-?(?:on|date|time)|date-?created|relative-date)(?:$|[\s_-])/i;
const shortLengthMax = 60;
/** Including white space of the source. */
const beginningLength = 500;
