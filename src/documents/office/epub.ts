// Converts EPUB (3.3): the chapters of the spine, in order. Chapters encrypted by DRM cannot be read.
import { escapeAttribute } from 'entities';
import type { DocumentBlock, DocumentContent, DocumentMetadata } from '../../core/document.ts';
import { unreadable } from '../parts/document-error.ts';
import { htmlText, leadsOut, textOf } from '../parts/html-text.ts';
import { resolved } from './office-parts.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { readXml, type XmlAttributes } from '../parts/read-xml.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

const containerName = 'META-INF/container.xml';

export function readEpub({ bytes }: FileBytes): DocumentContent {
  const archive = openZip(bytes);
  if (isLocked(archive)) throw unreadable('The file is protected: its chapters are encrypted.');
  const container = archive.read([containerName]).get(containerName);
  const packageName = container && packageNameOf(container);
  const packageXml = packageName === undefined ? undefined : archive.read([packageName]).get(packageName);
  if (packageName === undefined || !packageXml) throw unreadable('The file is not a valid EPUB: it names no chapters.');
  const { metadata, chapters } = readPackage(packageXml, packageName);
  const parts = archive.read(chapters);
  if (parts.size === 0) throw unreadable('The file is damaged: none of its chapters is in it.');
  const blocks = chapters.flatMap((name): DocumentBlock[] => {
    const xml = parts.get(name);
    const html = xml ? chapterHtml(xml) : '';
    return html === '' ? [] : [{ kind: 'html', html }];
  });
  return { metadata, blocks };
}

/** Encrypted fonts are common. The book is locked only if a chapter is encrypted. */
function isLocked(archive: ZipArchive): boolean {
  const name = 'META-INF/encryption.xml';
  let isChapter = false;
  const ofReference = ({ URI: uri = '' }: XmlAttributes): unknown => (isChapter ||= /\.x?html?$/i.test(uri));
  readXml(archive.read([name]).get(name), { elements: { CipherReference: { open: ofReference } } });
  return isChapter;
}

function packageNameOf(xml: Uint8Array): string | undefined {
  let found: string | undefined;
  readXml(xml, { elements: { rootfile: { open: ({ 'full-path': path }) => (found ??= path) } } });
  return found;
}

const fields: ReadonlyMap<string, 'title' | 'author' | 'description' | 'language' | 'publishedTime'> = new Map([
  ['title', 'title'],
  ['creator', 'author'],
  ['description', 'description'],
  ['language', 'language'],
  ['date', 'publishedTime'],
]);

function readPackage(xml: Uint8Array, packageName: string): { metadata: DocumentMetadata; chapters: string[] } {
  const texts: Partial<Record<string, string[]>> = {};
  const items = new Map<string, string>();
  const spine: string[] = [];
  let field: string | undefined;
  let isInMetadata = false;
  readXml(xml, {
    open(name, attributes) {
      if (name === 'metadata') isInMetadata = true;
      else if (name === 'item') items.set(attributes['id'] ?? '', attributes['href'] ?? '');
      else if (name === 'itemref') spine.push(attributes['idref'] ?? '');
      field = isInMetadata ? fields.get(name) : undefined;
      if (field !== undefined) (texts[field] ??= []).push('');
    },
    text(text) {
      const list = field === undefined ? undefined : texts[field];
      if (list) list.push((list.pop() ?? '') + text);
    },
    close(name) {
      field = undefined;
      if (name === 'metadata') isInMetadata = false;
    },
  });
  const { author, ...others } = texts;
  const metadata = {
    ...Object.fromEntries(Object.entries(others).map(([name, list]) => [name, list?.[0]])),
    ...(author && { author: author.map((name) => name.trim()).join(', ') }),
  };
  const chapters = spine.flatMap((id) => {
    const href = items.get(id);
    return href === undefined ? [] : [resolved(decoded(href), packageName)];
  });
  // The spine lists each item once (EPUB 3.3, 5.6). Drop repetitions: one chapter a thousand times is not a book.
  return { metadata, chapters: [...new Set(chapters)] };
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href.replace(/#.*$/s, ''));
  } catch {
    return href;
  }
}

const voidElements: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'wbr', 'col']);
const leftOut: ReadonlySet<string> = new Set(['head', 'script', 'style', 'svg', 'template']);

/**
 * Writes XHTML as HTML, where `<a id="x"/>` would never end. Drops links into the book except to notes of the chapter,
 * with the ways back, and replaces images by their alternative text: neither resolves on the web.
 */
function chapterHtml(xml: Uint8Array): string {
  const parts: string[] = [];
  const ids = new Set<string>();
  const references: { readonly part: number; readonly id: string }[] = [];
  let alts: { readonly part: number; readonly alt: string }[] = [];
  let caption: { readonly name: string; readonly part: number; depth: number } | undefined;
  readXml(
    xml,
    {
      leavesOut: (name, attributes) => leftOut.has(name) || isWayBack(name, attributes),
      open(name, attributes) {
        if (attributes['id'] !== undefined) ids.add(attributes['id']);
        if (name === 'figure') alts = [];
        if (caption?.name === name) caption.depth++;
        else if (isCaption(name, attributes)) caption ??= { name, part: parts.length, depth: 1 };
        if (name === 'img') {
          const alt = attributes['alt'] ?? '';
          if (alt !== '') alts.push({ part: parts.length, alt });
          parts.push(htmlText(alt));
          return;
        }
        const note = noteReferredTo(name, attributes);
        if (note !== undefined) references.push({ part: parts.length, id: note });
        const kept = Object.entries(attributes).filter(
          ([key, value]) => keptAttributes.has(key) || (key === 'href' && leadsOut(value ?? '')),
        );
        if (isNote(attributes)) kept.push(['role', 'doc-footnote']);
        parts.push(`<${name}${kept.map(([key, value]) => ` ${key}="${escapeAttribute(value ?? '')}"`).join('')}>`);
      },
      text(text) {
        parts.push(htmlText(text));
      },
      close(name) {
        if (voidElements.has(name)) return;
        parts.push(`</${name}>`);
        if (caption?.name !== name || --caption.depth > 0) return;
        const said = comparable(textOf(parts.slice(caption.part).join('')));
        for (const { part, alt } of alts) if (said.includes(comparable(alt))) parts[part] = '';
        [alts, caption] = [[], undefined];
      },
    },
    { mode: 'html' },
  );
  for (const { part, id } of references) {
    if (ids.has(id)) parts[part] = `<a role="doc-noteref" href="#${escapeAttribute(id)}">`;
  }
  return parts.join('').trim();
}

const keptAttributes: ReadonlySet<string> = new Set([
  'colspan',
  'rowspan',
  'start',
  'lang',
  'class',
  'id',
  'align',
  'style',
]);

/** pandoc writes EPUB 2 without `<figure>`. */
function isCaption(name: string, attributes: XmlAttributes): boolean {
  return name === 'figcaption' || attributes['class'] === 'caption';
}

function comparable(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function isNote({ 'epub:type': type = '' }: XmlAttributes): boolean {
  return /\b(?:footnote|rearnote|endnote)\b/.test(type);
}

/** Returns true for a link from a note to its reference, such as an arrow. */
function isWayBack(name: string, { role = '', class: classes = '', ...others }: XmlAttributes): boolean {
  if (name !== 'a') return false;
  return /\b(?:doc-)?backlink\b/.test(`${role} ${others['epub:type'] ?? ''}`) || /\bfootnote-back/.test(classes);
}

/** Returns the id of the note that a link refers to (EPUB 3.3, D.3: `noteref`). */
function noteReferredTo(name: string, attributes: XmlAttributes): string | undefined {
  if (name !== 'a') return undefined;
  const { href = '', role = '', class: classes = '' } = attributes;
  const refers = /\bnoteref\b/.test(`${attributes['epub:type'] ?? ''} ${role}`) || /\bfootnote-?ref\b/i.test(classes);
  return refers ? /#(.+)$/s.exec(href)?.[1] : undefined;
}
