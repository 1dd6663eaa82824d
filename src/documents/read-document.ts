/**
 * Reads linked files: bytes in, content out. Besides {@link DocumentError}, this is the only entry point of the module.
 */
import type { DocumentContent } from '../core/document.ts';
import type { DocumentKind } from '../core/bytes/file-kind.ts';
import { readDocx } from './office/docx.ts';
import { readEpub } from './office/epub.ts';
import { readOdf } from './office/odf.ts';
import { readOle } from './office/ole.ts';
import type { FileBytes } from './parts/file-bytes.ts';
import { readPdf } from './pdf/pdf.ts';
import { readCsv, readHtmlFile, readJson, readPlainText, readYaml } from './text/plain-files.ts';
import { readPptx } from './office/pptx.ts';
import { readRtf } from './text/rtf.ts';
import { readXlsx } from './office/xlsx.ts';
import { readMail } from './text/mail.ts';
import { readNotebook } from './text/notebook.ts';
import { recognizedKind } from './recognize.ts';
import { readXmlFile } from './text/xml-file.ts';

/** A new format is one line here and one in `core/bytes/file-kind.ts`. */
const readers: Readonly<
  Record<DocumentKind, (file: FileBytes) => DocumentContent | undefined | Promise<DocumentContent | undefined>>
> = {
  pdf: readPdf,
  docx: readDocx,
  xlsx: readXlsx,
  pptx: readPptx,
  odf: readOdf,
  epub: readEpub,
  rtf: readRtf,
  text: readPlainText,
  csv: readCsv,
  json: readJson,
  ipynb: readNotebook,
  yaml: readYaml,
  mail: readMail,
  xml: readXmlFile,
  html: readHtmlFile,
  ole: readOle,
  unknown: () => undefined,
};

/**
 * `announced`: the kind that media type and name say. Returns undefined for what is no document: a sitemap, or bytes of
 * unknown kind. Rejects with a `DocumentError` if the file is broken,
 * locked or over a limit.
 */
export async function readDocument(announced: DocumentKind, file: FileBytes): Promise<DocumentContent | undefined> {
  return readers[recognizedKind(announced, file)](file);
}
