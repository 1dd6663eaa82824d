// WordprocessingML (ECMA-376, part 1, 17) as HTML: headings, lists, tables, links, emphasis, notes. Deleted text is left out.
import type { DocumentContent } from '../core/document.ts';
import { unreadable } from './document-error.ts';
import { type DocxStyles, readNumberedLists, readStyles } from './docx-styles.ts';
import { element, htmlText, linkStart, textOf } from './html-text.ts';
import {
  corePropertiesName,
  readCoreProperties,
  readRelationships,
  type Relationship,
  relationshipsName,
} from './office-parts.ts';
import type { FileBytes } from './file-bytes.ts';
import { readXml, type XmlAttributes } from './read-xml.ts';
import { ZipArchive } from './zip-archive.ts';

const main = 'word/document.xml';
const notes = ['word/footnotes.xml', 'word/endnotes.xml'];

export function readDocx({ bytes }: FileBytes): DocumentContent {
  const archive = new ZipArchive(bytes);
  const others = ['word/styles.xml', 'word/numbering.xml', corePropertiesName, ...notes];
  const parts = archive.read([main, ...others, ...[main, ...notes].map(relationshipsName)]);
  const body = parts.get(main);
  if (!body) throw unreadable('The file has no text that Word would show.');
  const styles = readStyles(parts.get('word/styles.xml'), readNumberedLists(parts.get('word/numbering.xml')));
  const write = (xml: Uint8Array, part: string): BodyWriter => {
    const writer = new BodyWriter(styles, readRelationships(parts.get(relationshipsName(part)), part));
    readXml(xml, writer);
    return writer;
  };
  const text = write(body, main);
  const noteTexts = notes.flatMap((part) => {
    const html = write(parts.get(part) ?? new Uint8Array(0), part).html;
    return html === '' ? [] : [`<hr>${html}`];
  });
  const metadata = readCoreProperties(parts.get(corePropertiesName));
  return {
    metadata: { ...metadata, title: metadata.title ?? text.firstHeading },
    blocks: [text.html, ...noteTexts].map((html) => ({ kind: 'html', html })),
  };
}

interface Paragraph {
  readonly html: string[];
  style: string;
  outlineLevel: number | undefined;
  listId: string | undefined;
  listLevel: number;
}

type Marks = '' | 'b' | 'i' | 'bi';

class BodyWriter {
  readonly #styles: DocxStyles;
  readonly #links: ReadonlyMap<string, Relationship>;
  readonly #parts: string[] = [];
  /** Text boxes hold paragraphs inside of paragraphs. */
  readonly #paragraphs: Paragraph[] = [];
  readonly #lists: string[] = [];
  /** What each open hyperlink ends with. */
  readonly #linkEnds: string[] = [];
  /** Elements deep inside of what is left out. */
  #skipped = 0;
  #isInRun = false;
  #isInText = false;
  #isHeaderRow = false;
  #hasHeader = false;
  #marks: Marks = '';
  #written: Marks = '';
  firstHeading: string | undefined;

  constructor(styles: DocxStyles, links: ReadonlyMap<string, Relationship>) {
    this.#styles = styles;
    this.#links = links;
  }

  get html(): string {
    this.#endLists(0);
    return this.#parts.join('');
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0 || leftOut.has(name)) {
      this.#skipped++;
      return;
    }
    const paragraph = this.#paragraphs.at(-1);
    const value = attributes['w:val'];
    switch (name) {
      case 'p':
        this.#endMarks();
        this.#paragraphs.push({ html: [], style: '', outlineLevel: undefined, listId: undefined, listLevel: 0 });
        break;
      case 'pStyle':
        if (paragraph) paragraph.style = value ?? '';
        break;
      case 'numId':
        if (paragraph) paragraph.listId = value;
        break;
      case 'ilvl':
        if (paragraph) paragraph.listLevel = Number(value) || 0;
        break;
      case 'outlineLvl':
        if (paragraph) paragraph.outlineLevel = Number(value);
        break;
      case 'r':
        this.#isInRun = true;
        this.#marks = '';
        break;
      case 'b':
        if (this.#isInRun && isOn(value)) this.#marks = this.#marks.includes('i') ? 'bi' : 'b';
        break;
      case 'i':
        if (this.#isInRun && isOn(value)) this.#marks = this.#marks.includes('b') ? 'bi' : 'i';
        break;
      case 't':
        this.#isInText = true;
        break;
      case 'tab':
        if (this.#isInRun) this.#write(' ');
        break;
      case 'br':
      case 'cr':
        if (this.#isInRun) this.#write('<br>');
        break;
      case 'noBreakHyphen':
        this.#write('-');
        break;
      case 'hyperlink': {
        this.#endMarks();
        const start = linkStart(this.#links.get(attributes['r:id'] ?? '')?.target);
        if (start !== undefined) this.#write(start);
        this.#linkEnds.push(start === undefined ? '' : '</a>');
        break;
      }
      case 'tbl':
        this.#endLists(0);
        this.#parts.push('<table>');
        this.#hasHeader = false;
        break;
      case 'tblLook':
        this.#hasHeader = attributes['w:firstRow'] === '1' || (Number.parseInt(value ?? '', 16) & 0x20) !== 0;
        break;
      case 'tr':
        this.#parts.push('<tr>');
        this.#isHeaderRow = this.#hasHeader;
        this.#hasHeader = false;
        break;
      case 'tblHeader':
        this.#isHeaderRow = isOn(value);
        break;
      case 'tc':
        this.#parts.push(this.#isHeaderRow ? '<th>' : '<td>');
        break;
      case 'gridSpan':
        if (/^<t[hd]>$/.test(this.#parts.at(-1) ?? '') && Number(value) > 1) {
          this.#parts.push(`${this.#parts.pop()?.slice(0, -1) ?? ''} colspan="${Number(value)}">`);
        }
        break;
    }
  }

  text(text: string): void {
    if (this.#skipped > 0 || !this.#isInText || text === '') return;
    if (this.#marks !== this.#written) {
      this.#endMarks();
      this.#write(startOf[this.#marks]);
      this.#written = this.#marks;
    }
    this.#write(htmlText(text));
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    switch (name) {
      case 'r':
        this.#isInRun = false;
        break;
      case 't':
        this.#isInText = false;
        break;
      case 'hyperlink':
        this.#endMarks();
        this.#write(this.#linkEnds.pop() ?? '');
        break;
      case 'p': {
        this.#endMarks();
        const paragraph = this.#paragraphs.pop();
        if (paragraph) this.#endParagraph(paragraph);
        break;
      }
      case 'tc':
        this.#endLists(0);
        this.#parts.push(this.#isHeaderRow ? '</th>' : '</td>');
        break;
      case 'tr':
        this.#parts.push('</tr>');
        break;
      case 'tbl':
        this.#parts.push('</table>');
        break;
    }
  }

  #write(html: string): void {
    this.#paragraphs.at(-1)?.html.push(html);
  }

  #endMarks(): void {
    if (this.#written !== '') this.#write(endOf[this.#written]);
    this.#written = '';
  }

  #endParagraph(paragraph: Paragraph): void {
    const html = paragraph.html.join('').trim();
    if (html === '') return;
    const style = this.#styles.of(paragraph.style);
    const level = paragraph.outlineLevel === undefined ? style.headingLevel : headingLevelOf(paragraph.outlineLevel);
    const listId = paragraph.listId ?? style.listId;
    if (level !== undefined) {
      this.#endLists(0);
      this.#parts.push(element(`h${level}`, html));
      this.firstHeading ??= textOf(html);
    } else if (listId !== undefined && listId !== '0') {
      const tag = this.#styles.isNumbered(listId, paragraph.listLevel) ? 'ol' : 'ul';
      this.#addItem(tag, Math.min(paragraph.listLevel, 8) + 1, html);
    } else {
      this.#endLists(0);
      this.#parts.push(element('p', html));
    }
  }

  #addItem(tag: string, depth: number, html: string): void {
    this.#endLists(depth);
    if (this.#lists.length === depth) {
      if (this.#lists.at(-1) === tag) this.#parts.push('</li>');
      else this.#endLists(depth - 1);
    }
    while (this.#lists.length < depth) {
      this.#parts.push(this.#lists.length === depth - 1 ? `<${tag}>` : `<${tag}><li>`);
      this.#lists.push(tag);
    }
    this.#parts.push(`<li>${html}`);
  }

  #endLists(depth: number): void {
    while (this.#lists.length > depth) this.#parts.push(`</li></${this.#lists.pop() ?? ''}>`);
  }
}

/** `Fallback` says again what the element before it says; what was moved away is elsewhere. */
const leftOut: ReadonlySet<string> = new Set(['Fallback', 'moveFrom', 'del', 'instrText', 'rPrChange', 'pPrChange']);

const startOf: Readonly<Record<Marks, string>> = { '': '', b: '<strong>', i: '<em>', bi: '<strong><em>' };
const endOf: Readonly<Record<Marks, string>> = { '': '', b: '</strong>', i: '</em>', bi: '</em></strong>' };

function isOn(value: string | undefined): boolean {
  return value === undefined || (value !== '0' && value !== 'false' && value !== 'off');
}

/** Levels count from zero, and nine is body text. */
function headingLevelOf(outlineLevel: number): number | undefined {
  return outlineLevel >= 0 && outlineLevel < 9 ? Math.min(outlineLevel + 1, 6) : undefined;
}
