/** Tells chapters from what follows the content, by their headings and ids. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText } from '../html/node-text.ts';
import type { NameGroup } from '../measure/boilerplate-names.ts';
import type { Box } from '../measure/measure-page.ts';
import { hasPermalink } from './reference-parts.ts';
import type { EndHeadings } from './end-headings.ts';

/**
 * A box that begins with the heading of what follows the content. A chapter of a manual is none, and neither is prose
 * with no prose before it: ways to share can stand above the article in the same box.
 */
export function isEnd(box: Box, element: Element, ends: EndHeadings): boolean {
  const { opensWith, hasH1 } = box;
  if (opensWith === undefined || hasH1 || !ends.has(opensWith)) return false;
  return !isProse(box) || (ends.proseBefore >= namedProseMin && !isLinkedTo(opensWith, element));
}

/** Manuals offer links to their chapters: the id of the section, or a link in the heading, repeats the heading. */
function isLinkedTo(heading: Element, section: Element): boolean {
  const links = heading.children.map((child) => (isTag(child) ? child.attribs['href'] : undefined));
  const ids = [section.attribs['id'], heading.attribs['id'], ...links.map((link) => link?.match(/^#(.+)$/)?.[1])];
  return ids.some((id) => id !== undefined && !invitations.test(id) && isMadeOf(id, heading));
}

function isMadeOf(id: string, heading: Element): boolean {
  const words = wordsOf(id);
  const said = wordsOf(nodeText([heading]));
  return words !== '' && (said.includes(words) || (isSentence(said) && words.startsWith(said)));
}

/** As headings, too, these announce what is not the page's subject. */
const invitations =
  /^(?:[^-_]+[-_]){0,2}(?:related|recommended|trending|popular|latest|also|newsletter|subscribe|sign|register)(?:[-_][^-_]+){0,2}$/i;

function wordsOf(text: string): string {
  return (
    text
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.join(' ') ?? ''
  );
}

/**
 * The id of a section is often made of its heading: `copyright-considerations` says what the section is about. Ids of
 * one or two words are names of boxes too, so prose decides.
 */
export function isItsHeading(id: string, group: NameGroup, box: Box): boolean {
  if (box.opensWith === undefined) return false;
  if (isProse(box) && group !== 'comments' && hasPermalink(box.opensWith, id)) return true;
  if (invitations.test(id)) return false;
  return isMadeOf(id, box.opensWith) && (isSentence(wordsOf(id)) || (isProse(box) && group !== 'comments'));
}

function isSentence(words: string): boolean {
  return words.split(' ').length >= sentenceWordsMin;
}

const sentenceWordsMin = 3;

export function isProse({ textLength, linkLength }: Box): boolean {
  return textLength - linkLength >= namedProseMin && linkLength < textLength * 0.3;
}

const namedProseMin = 300;
