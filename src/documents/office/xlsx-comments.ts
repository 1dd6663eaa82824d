// Reads the comments of a sheet (ECMA-376, part 1, 18.7) and its threads of comments ([MS-XLSX] 2.6.204).
import { readXml } from '../parts/read-xml.ts';

export interface CellComment {
  /** The cell, such as `B2`. */
  readonly reference: string;
  readonly author: string;
  readonly text: string;
}

/**
 * `persons` are the authors of threads, by id. A thread also stands among the comments of older programs, after a text
 * that says so: `threads` take their place.
 */
export function readComments(
  xml: Uint8Array | undefined,
  threads: Uint8Array | undefined,
  persons: ReadonlyMap<string, string>,
): CellComment[] {
  const threaded = threads ? readThreads(threads, persons) : [];
  const cells = new Set(threaded.map(({ reference }) => reference));
  const legacy = xml ? readLegacy(xml).filter(({ reference }) => !cells.has(reference)) : [];
  return [...threaded, ...legacy].filter(({ text }) => text !== '');
}

function readLegacy(xml: Uint8Array): CellComment[] {
  const authors: string[] = [];
  const comments: { reference: string; author: string; text: string }[] = [];
  let [isInAuthor, isInText, isInPhonetics] = [false, false, false];
  readXml(xml, {
    open(name, attributes) {
      if (name === 'author') {
        isInAuthor = true;
        authors.push('');
      } else if (name === 'comment') {
        const author = authors[Number(attributes['authorId'])] ?? '';
        comments.push({ reference: attributes['ref'] ?? '', author, text: '' });
      } else if (name === 't') isInText = true;
      else if (name === 'rPh') isInPhonetics = true;
    },
    text(text) {
      const comment = comments.at(-1);
      if (isInAuthor) authors.push((authors.pop() ?? '') + text);
      else if (comment && isInText && !isInPhonetics) comment.text += text;
    },
    close(name) {
      if (name === 'author') isInAuthor = false;
      else if (name === 't') isInText = false;
      else if (name === 'rPh') isInPhonetics = false;
    },
  });
  // Excel begins the text with the name of its author.
  return comments.map(({ text, author, reference }) => ({
    reference,
    author: author.trim(),
    text: (text.startsWith(`${author}:`) ? text.slice(author.length + 1) : text).trim(),
  }));
}

function readThreads(xml: Uint8Array, persons: ReadonlyMap<string, string>): CellComment[] {
  const comments: { reference: string; author: string; text: string }[] = [];
  let isInText = false;
  readXml(xml, {
    open(name, attributes) {
      if (name === 'threadedComment') {
        const author = persons.get(attributes['personId'] ?? '') ?? '';
        comments.push({ reference: attributes['ref'] ?? '', author, text: '' });
      } else if (name === 'text') isInText = true;
    },
    text(text) {
      const comment = comments.at(-1);
      if (comment && isInText) comment.text += text;
    },
    close(name) {
      if (name === 'text') isInText = false;
    },
  });
  return comments.map(({ reference, author, text }) => ({ reference, author, text: text.trim() }));
}

/** Names of the people who comment, by id. */
export function readPersons(xml: Uint8Array | undefined): ReadonlyMap<string, string> {
  const persons = new Map<string, string>();
  if (xml) {
    readXml(xml, {
      open(name, attributes) {
        if (name === 'person') persons.set(attributes['id'] ?? '', attributes['displayName'] ?? '');
      },
    });
  }
  return persons;
}
