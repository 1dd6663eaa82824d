// Reads OpenDocument files (ODF 1.3): texts, spreadsheets and presentations.
import type { DocumentContent, DocumentMetadata } from '../../core/document.ts';
import { tooMany, unreadable } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { htmlText } from '../parts/html-text.ts';
import { readOdfXml } from './read-odf-xml.ts';
import { OdfBody } from './odf-body.ts';
import { readOdfStyles } from './odf-styles.ts';
import { readOds } from './ods.ts';
import { charactersMax } from './xlsx-sheet.ts';
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
  readOdfXml(content, body);
  const { html, slides, firstHeading, slideCount } = body;
  if (slides.reduce((sum, slide) => sum + slide.length, html.length) > charactersMax)
    throw tooMany('characters', charactersMax);
  return {
    metadata: {
      ...metadata,
      title: metadata.title ?? firstHeading,
      ...(kind === 'presentation' && { pageCount: slideCount }),
    },
    blocks: [...slides, html].filter((part) => part !== '').map((part) => ({ kind: 'html', html: part })),
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
  if (manifest) {
    readOdfXml(manifest, {
      open(name, attributes) {
        if (name === 'file-entry') entry = attributes['manifest:full-path'] ?? '';
        else if (name === 'encryption-data' && entry === contentName) isContent = true;
      },
    });
  }
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
  let [isMath, skipped] = [false, 0];
  if (xml) {
    readOdfXml(xml, {
      open(name) {
        isMath ||= name === 'math';
        if (name.startsWith('annotation') || skipped > 0) skipped++;
        else if (isMath) parts.push(`<${name}>`);
      },
      text(text) {
        if (isMath && skipped === 0) parts.push(htmlText(text.trim()));
      },
      close(name) {
        if (skipped > 0) skipped--;
        else if (isMath) parts.push(`</${name}>`);
      },
    });
  }
  return parts.join('');
}

const metaFields: Readonly<
  Record<string, 'title' | 'author' | 'description' | 'language' | 'publishedTime' | 'modifiedTime'>
> = {
  title: 'title',
  'initial-creator': 'author',
  description: 'description',
  language: 'language',
  'creation-date': 'publishedTime',
  date: 'modifiedTime',
};

function readMeta(xml: Uint8Array | undefined): DocumentMetadata {
  const values: Partial<Record<string, string>> = {};
  const keywords: string[] = [];
  let [field, creator] = ['', ''];
  if (xml) {
    readOdfXml(xml, {
      open: (name) => (field = name),
      text(text) {
        const known = metaFields[field];
        if (known !== undefined) values[known] = (values[known] ?? '') + text;
        else if (field === 'creator') creator += text;
        else if (field === 'keyword') keywords.push(text);
      },
      close: () => (field = ''),
    });
  }
  return {
    ...(creator !== '' && { author: creator }),
    ...values,
    ...(keywords.length > 0 && { keywords }),
  };
}
