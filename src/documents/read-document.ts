/**
 * Reads linked files: bytes in, content out. Besides {@link DocumentError}, this is the only entry point of the module.
 */
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

/** A new format is one line here and one in `core/file-kind.ts`. */
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

/**
 * Returns undefined for a sitemap, which is not a document. Rejects with a `DocumentError` if the file is broken,
 * locked or over a limit.
 */
export async function readDocument(kind: FileKind, file: FileBytes): Promise<DocumentContent | undefined> {
  return readers[kind](file);
}
