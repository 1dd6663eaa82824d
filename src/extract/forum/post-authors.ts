/** Reads who wrote a post. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { oneLine, textBeginning } from '../html/node-text.ts';
import { fold, unfoldedAfter } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';
import { isPlainDate } from './post-dates.ts';

/** The names next to a post, the most certain first. */
export interface PostAuthor {
  /** The author in microdata: a box with a similar name can show who edited the post. */
  statedAuthor?: string;
  author?: string;
  profile?: string;
  /** One letter: the picture of an author without one. A name of one letter is used if nothing else is found. */
  initial?: string;
}

/** Returns an empty string if there is none. */
export function authorOf({ statedAuthor, author, profile, initial }: PostAuthor): string {
  return statedAuthor ?? author ?? profile ?? initial ?? '';
}

export function readAuthor(element: Element, found: PostAuthor): void {
  const { attribs } = element;
  const isStated = attribs['itemprop'] === 'author';
  if (found.author !== undefined && (!isStated || found.statedAuthor !== undefined)) return;
  const isNamed = isStated || attribs['data-hovercard-type'] === 'user' || authorNames.test(attribs['class'] ?? '');
  const isProfile = found.profile === undefined && profileLinks.test(attribs['href'] ?? '');
  if (!isNamed && !isProfile) return;
  const text = firstText(element);
  if (text === '' || text.length > shortLengthMax || !/\p{L}/u.test(text) || isPlainDate(text)) return;
  if (letter.test(text)) {
    found.initial ??= text;
    return;
  }
  if (isStated) found.statedAuthor = text;
  if (isNamed) found.author ??= text;
  else found.profile = text;
}

const introduction = phrases('by', 'author', 'posted');
const letter = /^[\p{L}\p{N}]$/u;
const authorNames =
  /(?:^|[\s_-])(?:(?:big)?user-?name|author(?:-?name)?|poster|nick-?name|creator|hnuser|display-?name|comment-user|user-?details|by|byline|post-?left|authi)(?:$|[\s_-])|(?:^|\s)name(?:\s|$)/i;
const profileLinks =
  /\/(?:users?|members?|profiles?|people|u|[@~][^/]+)(?:\/|$|\.)|[?&]u(?:ser)?=|memberlist|action=profile/i;

/** The name can stand before a rank, an e-mail address or a number of posts. */
function firstText(element: Element): string {
  const link = element.children.find((node) => isTag(node) && node.name === 'a' && hasText(node));
  if (link !== undefined) return bareAuthor(textBeginning([link], beginningLength).trim().split('\n', 1)[0] ?? '');
  const texts: string[] = [];
  collectTexts(element.children, texts);
  return texts.map(bareAuthor).find((text) => text !== '') ?? '';
}

function bareAuthor(text: string): string {
  const line = oneLine(text);
  const said = fold(line.slice(0, shortLengthMax));
  const length = introduction.startIn(said);
  return (/^(?:[:\s]|$)/.test(line.slice(length)) ? unfoldedAfter(line, length).replace(/^[:\s]+/, '') : line).replace(
    /[\s:,·]+$/,
    '',
  );
}

/** Skips initials in place of a picture. */
function collectTexts(nodes: readonly ChildNode[], texts: string[]): void {
  for (const node of nodes) {
    if (texts.length >= textsMax) return;
    if (isText(node) && node.data.trim() !== '')
      texts.push(node.data.slice(0, beginningLength).trim().split('\n', 1)[0] ?? '');
    else if (isTag(node) && !/avatar/i.test(node.attribs['class'] ?? '')) collectTexts(node.children, texts);
  }
}

const textsMax = 5;

function hasText({ children }: Element): boolean {
  return /\p{L}/u.test(textBeginning(children, beginningLength));
}

const shortLengthMax = 60;
/** Including white space of the source. */
const beginningLength = 500;
