// Reads the comments of a sheet (ECMA-376, part 1, 18.7) and its threads of comments ([MS-XLSX] 2.6.204).
import { readXml } from '../parts/read-xml.ts';
import type { SheetComment } from '../parts/sheet-tables.ts';

/**
 * `persons` are the authors of threads, by id. A thread also stands among the comments of older programs, after a text
 * that says so: `threads` take their place.
 */
export function readComments(
  xml: Uint8Array | undefined,
  threads: Uint8Array | undefined,
  persons: ReadonlyMap<string, string>,
): SheetComment[] {
  const threaded = readThreads(threads, persons);
  const cells = new Set(threaded.map(({ reference }) => reference));
  const legacy = readLegacy(xml).filter(({ reference }) => !cells.has(reference));
  return [...threaded, ...legacy].filter(({ text }) => text !== '');
}

type OpenComment = { -readonly [Key in keyof SheetComment]: SheetComment[Key] };

function readLegacy(xml: Uint8Array | undefined): SheetComment[] {
  const authors: string[] = [];
  const comments: OpenComment[] = [];
  readXml(xml, {
    leavesOut: (name) => name === 'rPh',
    elements: {
      author: { close: (text) => authors.push(text) },
      comment: { open: ({ ref, authorId }) => begin(comments, ref, authors[Number(authorId)]) },
      t: { close: (text) => add(comments, text) },
    },
  });
  // Excel begins the text with the name of its author.
  return comments.map(({ text, author, reference }) => ({
    reference,
    author: author.trim(),
    text: (text.startsWith(`${author}:`) ? text.slice(author.length + 1) : text).trim(),
  }));
}

function readThreads(xml: Uint8Array | undefined, persons: ReadonlyMap<string, string>): SheetComment[] {
  const comments: OpenComment[] = [];
  readXml(xml, {
    elements: {
      threadedComment: { open: ({ ref, personId = '' }) => begin(comments, ref, persons.get(personId)) },
      text: { close: (text) => add(comments, text) },
    },
  });
  return comments.map(({ reference, author, text }) => ({ reference, author, text: text.trim() }));
}

function begin(comments: OpenComment[], reference = '', author = ''): void {
  comments.push({ reference, author, text: '' });
}

function add(comments: readonly OpenComment[], text: string): void {
  const comment = comments.at(-1);
  if (comment) comment.text += text;
}

/** Names of the people who comment, by id. */
export function readPersons(xml: Uint8Array | undefined): ReadonlyMap<string, string> {
  const persons = new Map<string, string>();
  readXml(xml, { elements: { person: { open: ({ id = '', displayName = '' }) => persons.set(id, displayName) } } });
  return persons;
}
