// Converts SpreadsheetML (ECMA-376, part 1, 18): each visible sheet as a table of the values that its cells show.
import type { DocumentBlock, DocumentContent } from '../../core/document.ts';
import { tooMany, unreadable } from '../parts/document-error.ts';
import { element, htmlText } from '../parts/html-text.ts';
import { corePropertiesName, readCoreProperties, readRelationships, relationshipsName } from './office-parts.ts';
import { cellsMax } from '../text/plain-files.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { readXml } from '../parts/read-xml.ts';
import { readDateStyles, toDateText } from './xlsx-dates.ts';
import { ZipArchive } from './zip-archive.ts';

const workbookName = 'xl/workbook.xml';
const stringsName = 'xl/sharedStrings.xml';
const stylesName = 'xl/styles.xml';
const charactersMax = 20_000_000;

export function readXlsx({ bytes }: FileBytes): DocumentContent {
  const archive = new ZipArchive(bytes);
  const relations = relationshipsName(workbookName);
  const parts = archive.read([workbookName, relations, stringsName, stylesName, corePropertiesName]);
  const workbook = parts.get(workbookName);
  if (!workbook) throw unreadable('The file has no sheets that Excel would show.');
  const { sheets, hasDatesFrom1904 } = readWorkbook(workbook);
  const targets = readRelationships(parts.get(relations), workbookName);
  const named = sheets.flatMap(({ name, id }) => {
    const part = targets.get(id)?.target;
    return part === undefined ? [] : [{ name, part }];
  });
  const sheetParts = archive.read(named.map(({ part }) => part));
  const table: TableContext = {
    strings: readSharedStrings(parts.get(stringsName)),
    dateStyles: readDateStyles(parts.get(stylesName)),
    hasDatesFrom1904,
    cellsLeft: cellsMax,
    charactersLeft: charactersMax,
  };
  const blocks = named.flatMap(({ name, part }): DocumentBlock[] => {
    const xml = sheetParts.get(part);
    const rows = xml ? readSheet(xml, table) : [];
    return rows.length === 0
      ? []
      : [
          { kind: 'html', html: element('h2', htmlText(name)) },
          { kind: 'table', rows },
        ];
  });
  return { metadata: readCoreProperties(parts.get(corePropertiesName)), blocks };
}

interface TableContext {
  readonly strings: readonly string[];
  readonly dateStyles: ReadonlySet<number>;
  readonly hasDatesFrom1904: boolean;
  cellsLeft: number;
  /** Limits the output: a million cells can show one string of 32,000 characters. */
  charactersLeft: number;
}

function readWorkbook(xml: Uint8Array) {
  const sheets: { readonly name: string; readonly id: string }[] = [];
  let hasDatesFrom1904 = false;
  readXml(xml, {
    open(name, attributes) {
      const { name: sheetName, state } = attributes;
      if (name === 'workbookPr') hasDatesFrom1904 = attributes['date1904'] === '1' || attributes['date1904'] === 'true';
      if (name !== 'sheet' || state === 'hidden' || state === 'veryHidden') return;
      sheets.push({ name: sheetName ?? '', id: attributes['r:id'] ?? '' });
    },
  });
  return { sheets, hasDatesFrom1904 };
}

function readSharedStrings(xml: Uint8Array | undefined): string[] {
  const strings: string[] = [];
  if (!xml) return strings;
  let text: string | undefined;
  let isInText = false;
  // Phonetic text repeats how a word is pronounced.
  let isInPhonetics = false;
  readXml(xml, {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 't') isInText = true;
      else if (name === 'rPh') isInPhonetics = true;
    },
    text(piece) {
      if (isInText && !isInPhonetics && text !== undefined) text += piece;
    },
    close(name) {
      if (name === 'si') {
        // Each string belongs to a cell, so the limit for cells applies.
        if (strings.push(text ?? '') > cellsMax) throw tooMany('strings', cellsMax);
      } else if (name === 't') isInText = false;
      else if (name === 'rPh') isInPhonetics = false;
    },
  });
  return strings;
}

/** Returns the cells by column. Rows and columns without text are left out. */
function readSheet(xml: Uint8Array, table: TableContext): string[][] {
  const rows: Map<number, string>[] = [];
  const columns = new Set<number>();
  let row = new Map<number, string>();
  let cell = { column: -1, type: '', style: 0, value: '' };
  let isInValue = false;
  readXml(xml, {
    open(name, attributes) {
      if (name === 'row') row = new Map();
      else if (name === 'c') {
        const { r = '', t = '', s = '0' } = attributes;
        cell = { column: columnOf(r) ?? cell.column + 1, type: t, style: Number(s), value: '' };
      } else if (name === 'v' || name === 't') isInValue = true;
    },
    text(text) {
      if (isInValue) cell.value += text;
    },
    close(name) {
      if (name === 'v' || name === 't') isInValue = false;
      else if (name === 'c') {
        const text = shownValue(cell, table);
        if (text === '') return;
        if (--table.cellsLeft < 0) throw tooMany('cells', cellsMax);
        table.charactersLeft -= text.length;
        if (table.charactersLeft < 0) throw tooMany('characters', charactersMax);
        row.set(cell.column, text);
        columns.add(cell.column);
      } else if (name === 'row') {
        cell.column = -1;
        if (row.size > 0) rows.push(row);
      }
    },
  });
  const ordered = [...columns].toSorted((one, other) => one - other);
  // The table is written with its empty cells, so they count too.
  if (ordered.length * rows.length > cellsMax) throw tooMany('cells', cellsMax);
  return rows.map((cells) => ordered.map((column) => cells.get(column) ?? ''));
}

/** Zero-based column: `AB12` is in column 27. */
function columnOf(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return undefined;
  return Array.from(letters, (letter) => letter.charCodeAt(0) - 64).reduce((sum, digit) => sum * 26 + digit, 0) - 1;
}

function shownValue(
  cell: { readonly type: string; readonly style: number; readonly value: string },
  { strings, dateStyles, hasDatesFrom1904 }: TableContext,
): string {
  const { type, style, value } = cell;
  switch (type) {
    case 's':
      return strings[Number(value)]?.trim() ?? '';
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case '':
    case 'n': {
      const number = Number(value);
      if (value === '' || !Number.isFinite(number)) return value;
      // Round to 15 digits as Excel does: 0.1 + 0.2 is 0.3.
      return dateStyles.has(style) ? toDateText(number, hasDatesFrom1904) : String(Number(number.toPrecision(15)));
    }
    default:
      return value.trim();
  }
}
