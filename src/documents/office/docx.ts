// Converts WordprocessingML (ECMA-376, part 1, 17) to HTML: headings, lists, tables, links, emphasis, notes. Deleted
// text is left out.
import type { DocumentContent } from '../../core/document.ts';
import { unreadable } from '../parts/document-error.ts';
import { BodyWriter } from './docx-body.ts';
import { DocxLists } from './docx-lists.ts';
import { readStyles } from './docx-styles.ts';
import { corePropertiesName, readCoreProperties, readRelationships, relationshipsName } from './office-parts.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { readXml } from '../parts/read-xml.ts';
import { noteList } from '../parts/text-writer.ts';
import { openZip } from './zip-archive.ts';

const main = 'word/document.xml';
const notes = ['word/footnotes.xml', 'word/endnotes.xml'];

export function readDocx({ bytes }: FileBytes): DocumentContent {
  const archive = openZip(bytes);
  const more = ['word/styles.xml', 'word/numbering.xml', corePropertiesName, ...notes];
  const parts = archive.read([main, ...more, ...[main, ...notes].map(relationshipsName)]);
  const body = parts.get(main);
  if (!body) throw unreadable('The file has no text that Word would show.');
  const styles = readStyles(parts.get('word/styles.xml'));
  const lists = new DocxLists(parts.get('word/numbering.xml'));
  const write = (xml: Uint8Array | undefined, part: string): BodyWriter => {
    const writer = new BodyWriter({ styles, lists }, readRelationships(parts.get(relationshipsName(part)), part));
    readXml(xml, writer.handler);
    return writer;
  };
  const text = write(body, main);
  const noteTexts = notes.flatMap((part) => write(parts.get(part), part).notes);
  const referred = noteTexts.filter(({ id }) => text.noteIds.has(id));
  const others = noteTexts.filter(({ id }) => !text.noteIds.has(id));
  const metadata = readCoreProperties(parts.get(corePropertiesName));
  return {
    metadata: { ...metadata, title: metadata.title ?? text.firstHeading },
    // Footnotes stay in one block with the text that refers to them.
    blocks: [
      text.finish() + noteList(referred),
      ...(others.length === 0 ? [] : [`<hr>${others.map(({ html }) => html).join('')}`]),
    ].map((html) => ({ kind: 'html', html })),
  };
}
