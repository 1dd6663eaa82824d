// Compound files (MS-CFB): the formats of Office before 2007, and newer files with a password. No well-kept library
// reads them (docs/decisions/linked-files.md), so this only says what the file is and what to do.
import type { DocumentContent } from '../../core/document.ts';
import { unreadable } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';

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

export function readOle({ bytes }: FileBytes): DocumentContent {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < 8 || buffer.readUInt32LE(0) !== 0xe011cfd0)
    throw unreadable('The file is damaged: it is in no format of Office.');
  const found = kinds.find(([stream]) => buffer.includes(Buffer.from(`${stream}\0`, 'utf16le')));
  throw unreadable(found?.[1] ?? 'The file is in an old format of Office. Convert it, for example with LibreOffice.');
}
