/** Linked files: bytes in; what they say out. The one entrance of this module beside {@link DocumentError}. */
import type { DocumentContent } from '../core/document.ts';
import type { FileKind } from '../core/file-kind.ts';
import { readDocx } from './docx.ts';
import { readEpub } from './epub.ts';
import type { FileBytes } from './file-bytes.ts';
import { readPdf } from './pdf.ts';
import { readCsv, readJson, readMarkdown, readPlainText } from './plain-files.ts';
import { readPptx } from './pptx.ts';
import { readRtf } from './rtf.ts';
import { readXlsx } from './xlsx.ts';
import { readXmlFile } from './xml-file.ts';

/** A new format is a line here, and one in `core/file-kind.ts`. */
const readers: Readonly<
  Record<FileKind, (file: FileBytes) => DocumentContent | undefined | Promise<DocumentContent | undefined>>
> = {
  pdf: readPdf,
  docx: readDocx,
  xlsx: readXlsx,
  pptx: readPptx,
  epub: readEpub,
  rtf: readRtf,
  text: readPlainText,
  csv: readCsv,
  markdown: readMarkdown,
  json: readJson,
  xml: readXmlFile,
};

/** Undefined for what is no document: a sitemap. Rejects with a `DocumentError` where it is broken, locked or beyond a limit. */
export async function readDocument(kind: FileKind, file: FileBytes): Promise<DocumentContent | undefined> {
  return readers[kind](file);
}
