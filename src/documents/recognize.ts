// What kind of file it is: the first bytes count more than the ending of its name or its media type.
import { asLatin1 } from '../core/bytes/decode-bytes.ts';
import type { DocumentKind } from '../core/bytes/file-kind.ts';
import { mediaType } from '../core/bytes/media-type.ts';
import { lookIntoZip } from './office/zip-archive.ts';
import type { FileBytes } from './parts/file-bytes.ts';

/** Readers of PDF accept rubbish before the mark (ISO 32000-1, H.3). */
const pdfMarkWithin = 1_024;
const lookedAt = 512;

/** `announced`: the kind that type and ending say. Returns it if the bytes say nothing else, as those of most texts. */
export function recognizedKind(announced: DocumentKind, { bytes, contentType }: FileBytes): DocumentKind {
  const start = asLatin1(bytes.subarray(0, pdfMarkWithin));
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return kindOfArchive(bytes) ?? announced;
  if (start.startsWith('\xd0\xcf\x11\xe0')) return 'ole';
  if (start.startsWith('{\\rtf')) return 'rtf';
  // A text can speak of the mark of a PDF.
  if (start.startsWith('%PDF-') || (start.includes('%PDF-') && !texts.has(announced))) return 'pdf';
  return announced === 'ole' ? kindOfFalseOffice(bytes.subarray(0, lookedAt), contentType) : announced;
}

const texts: ReadonlySet<DocumentKind> = new Set([
  'text',
  'csv',
  'json',
  'ipynb',
  'yaml',
  'xml',
  'html',
  'mail',
  'rtf',
]);

const folders: readonly (readonly [folder: string, kind: DocumentKind])[] = [
  ['word/', 'docx'],
  ['xl/', 'xlsx'],
  ['ppt/', 'pptx'],
];

/** Undefined for an archive that is no document. */
function kindOfArchive(bytes: Uint8Array): DocumentKind | undefined {
  const archive = lookIntoZip(bytes);
  if (archive.names.has('META-INF/container.xml')) return 'epub';
  if (archive.names.has('content.xml')) return 'odf';
  const names = [...archive.names];
  return folders.find(([folder]) => names.some((name) => name.startsWith(folder)))?.[1];
}

/** Programs send tables of HTML, and of text, under the type of Excel; Word saves pages and archives of them as `.doc`. */
function kindOfFalseOffice(bytes: Uint8Array, contentType: string): DocumentKind {
  const start = asLatin1(bytes);
  if (/^\s*<(?:!doctype|html|head|body|table|meta|style|div)\b/i.test(start.replace(/^\xef\xbb\xbf/, '')))
    return 'html';
  if (/^(?:\xef\xbb\xbf)?\s*<\?xml\b/.test(start)) return /<html\b/i.test(start) ? 'html' : 'xml';
  if (/^MIME-Version:/im.test(start)) return 'mail';
  if (start.trim() === '' || bytes.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x1b))) return 'ole';
  return /excel/.test(mediaType(contentType)) ? 'csv' : 'text';
}
