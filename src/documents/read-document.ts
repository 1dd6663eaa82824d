/**
 * Reads linked files: bytes in, content out. Besides {@link DocumentError}, this is the only entry point of the module.
 */
import type { DocumentKind } from '../core/bytes/file-kind.ts';
import type { DocumentContent } from '../core/document.ts';
import { readDocx } from './office/docx.ts';
import { readEpub } from './office/epub.ts';
import { readOdf } from './office/odf.ts';
import { readPptx } from './office/pptx.ts';
import { readXlsx } from './office/xlsx.ts';
import { unreadable } from './parts/document-error.ts';
import type { FileBytes } from './parts/file-bytes.ts';
import { readPdf } from './pdf/pdf.ts';
import { recognizedKind } from './recognize.ts';
import { readMail } from './text/mail.ts';
import { readNotebook } from './text/notebook.ts';
import { readCsv, readHtmlFile, readJson, readPlainText, readYaml } from './text/plain-files.ts';
import { readRtf } from './text/rtf.ts';
import { readXmlFile } from './text/xml-file.ts';

// Compound files (MS-CFB): the formats of Office before 2007, and newer files with a password. No well-kept library
// reads them (docs/decisions/linked-files.md), so this only says what the file is and what to do.

/** By the name of a stream. */
const kinds: readonly (readonly [stream: string, sentence: string])[] = [
  ['EncryptedPackage', 'The file is protected with a password.'],
  ['WordDocument', 'The file is in the format of Word before 2007. Convert it to DOCX, for example with LibreOffice.'],
  ['Workbook', 'The file is in the format of Excel before 2007. Convert it to XLSX, for example with LibreOffice.'],
  ['Book', 'The file is in the format of Excel before 1997. Convert it to XLSX, for example with LibreOffice.'],
  [
    'PowerPoint Document',
    'The file is in the format of PowerPoint before 2007. Convert it to PPTX, for example with LibreOffice.',
  ],
  ['__nameid_version1.0', 'The file is a message of Outlook. Save it as EML.'],
];

function readOle({ bytes }: FileBytes): DocumentContent {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < 8 || buffer.readUInt32LE(0) !== 0xe011cfd0)
    throw unreadable('The file is damaged: it is in no format of Office.');
  const found = kinds.find(([stream]) => buffer.includes(Buffer.from(`${stream}\0`, 'utf16le')));
  throw unreadable(found?.[1] ?? 'The file is in an old format of Office. Convert it, for example with LibreOffice.');
}

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
