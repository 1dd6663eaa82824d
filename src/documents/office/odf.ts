// Reads OpenDocument files (ODF 1.3): texts, spreadsheets and presentations.
import type { DocumentContent, DocumentMetadata } from '../../core/document.ts';
import { tooMany, unreadable } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { htmlText } from '../parts/html-text.ts';
import { joinedTexts, readTexts } from '../parts/read-xml.ts';
import { odfReading, readOdfXml } from './read-odf-xml.ts';
import { OdfBody } from './odf-body.ts';
import { readOdfStyles } from './odf-styles.ts';
import { readOds } from './ods.ts';
import { charactersMax } from '../parts/sheet-tables.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

const contentName = 'content.xml';
const stylesName = 'styles.xml';
const metaName = 'meta.xml';
const manifestName = 'META-INF/manifest.xml';
const objectsMax = 500;

export function readOdf({ bytes }: FileBytes): DocumentContent {
  const archive = openZip(bytes);
  const parts = archive.read([contentName, stylesName, metaName, manifestName]);
  if (isLocked(parts.get(manifestName))) throw unreadable('The file is protected with a password.');
  const content = parts.get(contentName);
  if (!content) throw unreadable('The file has no content that LibreOffice would show.');
  const metadata = readMeta(parts.get(metaName));
  const { head, kind } = partsOf(content);
  const styles = readOdfStyles([parts.get(stylesName), head]);
  if (kind === undefined) throw unreadable('The file is damaged: its content is neither text, sheets nor slides.');
  if (kind === 'spreadsheet') return { metadata, blocks: readOds(content, styles) };
  const body = new OdfBody(styles, readFormulas(archive));
  readOdfXml(content, body.handler);
  const { slides, slideCount } = body;
  const written = [...slides, body.finish()].filter((part) => part !== '');
  if (written.reduce((sum, part) => sum + part.length, 0) > charactersMax) throw tooMany('characters', charactersMax);
  return {
    metadata: {
      ...metadata,
      title: metadata.title ?? body.firstHeading,
      ...(kind === 'presentation' && { pageCount: slideCount }),
    },
    blocks: written.map((html) => ({ kind: 'html', html })),
  };
}

/** What stands before the body, and the kind of the body. Programs write the name of the body as the standard does. */
function partsOf(content: Uint8Array): { readonly head: Uint8Array; readonly kind: string | undefined } {
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const at = buffer.indexOf('<office:body');
  if (at === -1) return { head: content, kind: kindOf(content) };
  return { head: content.subarray(0, at), kind: kindOf(content.subarray(at, at + bodyStartBytes)) };
}

const bodyStartBytes = 2_000;

/** By the element within the body. */
function kindOf(content: Uint8Array): string | undefined {
  let [isInBody, kind]: [boolean, string | undefined] = [false, undefined];
  readOdfXml(content, {
    open(name) {
      if (isInBody) kind ??= name;
      isInBody ||= name === 'body';
    },
  });
  return kind !== undefined && kinds.has(kind) ? kind : undefined;
}

const kinds: ReadonlySet<string> = new Set(['text', 'spreadsheet', 'presentation', 'drawing']);

function isLocked(manifest: Uint8Array | undefined): boolean {
  let [entry, isContent]: [string, boolean] = ['', false];
  readOdfXml(manifest, {
    open(name, attributes) {
      if (name === 'file-entry') entry = attributes['manifest:full-path'] ?? '';
      else if (name === 'encryption-data' && entry === contentName) isContent = true;
    },
  });
  return isContent;
}

/** Formulas are objects of their own, in MathML. */
function readFormulas(archive: ZipArchive): ReadonlyMap<string, string> {
  const names = [...archive.names].filter((name) => /^[^/]+\/content\.xml$/.test(name)).slice(0, objectsMax);
  const parts = archive.read(names);
  return new Map(names.map((name) => [name.slice(0, name.indexOf('/')), mathHtml(parts.get(name))]));
}

function mathHtml(xml: Uint8Array | undefined): string {
  const parts: string[] = [];
  let isMath = false;
  readOdfXml(xml, {
    leavesOut: (name) => name.startsWith('annotation'),
    open(name) {
      isMath ||= name === 'math';
      if (isMath) parts.push(`<${name}>`);
    },
    text: (text) => isMath && parts.push(htmlText(text.trim())),
    close: (name) => isMath && parts.push(`</${name}>`),
  });
  return parts.join('');
}

const metaFields = new Map([
  ['title', 'title'],
  ['creator', 'editor'],
  ['initial-creator', 'author'],
  ['description', 'description'],
  ['language', 'language'],
  ['creation-date', 'publishedTime'],
  ['date', 'modifiedTime'],
  ['keyword', 'keywords'],
] as const);

function readMeta(xml: Uint8Array | undefined): DocumentMetadata {
  const { keywords, editor, author = editor, ...others } = readTexts(xml, metaFields, odfReading());
  return { ...joinedTexts({ author, ...others }), ...(keywords && { keywords }) };
}
