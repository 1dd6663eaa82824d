// Converts SpreadsheetML (ECMA-376, part 1, 18): each visible sheet as a table of the values that its cells show, and
// its comments.
import type { DocumentBlock, DocumentContent } from '../../core/document.ts';
import { type DocumentError, tooMany, unreadable } from '../parts/document-error.ts';
import { element, htmlText } from '../parts/html-text.ts';
import {
  corePropertiesName,
  readCoreProperties,
  readRelationships,
  type Relationship,
  relationshipsName,
} from './office-parts.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { readXml } from '../parts/read-xml.ts';
import { cellsMax, commentList, type SheetComment, SheetLimits } from '../parts/sheet-tables.ts';
import { readComments, readPersons } from './xlsx-comments.ts';
import { loadNumfmt, readNumberFormats } from './xlsx-formats.ts';
import { chartHtml, chartLine, diagramHtml, type Drawing, readChart, readDrawing } from './drawings.ts';
import { readSheet, type Sheet, type TableContext } from './xlsx-sheet.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

const workbookName = 'xl/workbook.xml';
const stringsName = 'xl/sharedStrings.xml';
const stylesName = 'xl/styles.xml';
const personsName = 'xl/persons/person.xml';

export async function readXlsx({ bytes }: FileBytes): Promise<DocumentContent> {
  const archive = openZip(bytes);
  const relations = relationshipsName(workbookName);
  const parts = archive.read([workbookName, relations, stringsName, stylesName, personsName, corePropertiesName]);
  const workbook = parts.get(workbookName);
  if (!workbook) throw withoutSheets();
  const { sheets, hasDatesFrom1904 } = readWorkbook(workbook);
  const targets = readRelationships(parts.get(relations), workbookName);
  const named = sheets.flatMap(({ name, id }) => {
    const part = targets.get(id)?.target;
    return part === undefined ? [] : [{ name, part }];
  });
  const sheetParts = archive.read(named.flatMap(({ part }) => [part, relationshipsName(part)]));
  // Hidden sheets alone are a file without text.
  if (sheets.length > 0 && !named.some(({ part }) => sheetParts.has(part))) throw withoutSheets();
  const relationsOf = new Map(
    named.map(({ part }) => [part, readRelationships(sheetParts.get(relationshipsName(part)), part)]),
  );
  const drawings = new DrawingParts(
    archive,
    [...relationsOf.values()].flatMap((of) => partOf(of, 'drawing') ?? []),
  );
  const commentParts = archive.read(
    [...relationsOf.values()].flatMap((of) => commentTypes.flatMap((type) => partOf(of, type) ?? [])),
  );
  const persons = readPersons(parts.get(personsName));
  const table: TableContext = {
    strings: readSharedStrings(parts.get(stringsName)),
    formats: readNumberFormats(parts.get(stylesName), await loadNumfmt()),
    hasDatesFrom1904,
    limits: new SheetLimits(),
  };
  const blocks = named.flatMap(({ name, part }): DocumentBlock[] => {
    const xml = sheetParts.get(part);
    if (!xml) return [];
    const relations = relationsOf.get(part) ?? new Map<string, Relationship>();
    const sheet = readSheet(xml, relations, table);
    const [legacy, threads] = commentTypes.map((type) => commentParts.get(partOf(relations, type) ?? ''));
    const comments = readComments(legacy, threads, persons);
    const drawing = drawings.html(partOf(relations, 'drawing'), sheet.tables.length > 0);
    if (sheet.tables.length === 0 && comments.length === 0 && drawing === '') return [];
    table.limits.count(drawing);
    const sheetBlocks: DocumentBlock[] = [{ kind: 'html', html: element('h2', htmlText(name)) }];
    for (const rows of sheet.tables) sheetBlocks.push({ kind: 'table', rows });
    if (drawing !== '') sheetBlocks.push({ kind: 'html', html: drawing });
    return sheetBlocks.concat(commentList(comments.map((comment) => withText(comment, sheet, table))));
  });
  return { metadata: readCoreProperties(parts.get(corePropertiesName)), blocks };
}

/** The drawings of all sheets, with their charts and diagrams. */
class DrawingParts {
  readonly #drawings = new Map<string, Drawing>();
  readonly #relations = new Map<string, ReadonlyMap<string, Relationship>>();
  readonly #others: ReadonlyMap<string, Uint8Array>;

  constructor(archive: ZipArchive, names: readonly string[]) {
    const parts = archive.read(names.flatMap((name) => [name, relationshipsName(name)]));
    for (const name of names) {
      this.#drawings.set(name, readDrawing(parts.get(name)));
      this.#relations.set(name, readRelationships(parts.get(relationshipsName(name)), name));
    }
    this.#others = archive.read(
      [...this.#relations.values()].flatMap((of) =>
        [...of.values()].filter(({ type }) => type === 'chart' || type === 'diagramData').map(({ target }) => target),
      ),
    );
  }

  /** A chart next to cells shows their values again. */
  html(name: string | undefined, isNextToCells: boolean): string {
    const drawing = this.#drawings.get(name ?? '');
    const relations = this.#relations.get(name ?? '');
    if (!drawing) return '';
    const xmlOf = (id: string): Uint8Array[] => [this.#others.get(relations?.get(id)?.target ?? '') ?? []].flat();
    const charts = drawing.charts.flatMap(xmlOf).map((xml) => {
      const chart = readChart(xml);
      return isNextToCells ? chartLine(chart, true) : chartHtml(chart);
    });
    return drawing.html + charts.join('') + drawing.diagrams.flatMap(xmlOf).map(diagramHtml).join('');
  }
}

function withoutSheets(): DocumentError {
  return unreadable('The file has no sheets that Excel would show.');
}

const commentTypes = ['comments', 'threadedComment'] as const;

function partOf(relations: ReadonlyMap<string, Relationship>, type: string): string | undefined {
  return [...relations.values()].find((relation) => relation.type === type)?.target;
}

/** A comment names its cell by the text of it: rows and columns have no numbers in the table. */
function withText(comment: SheetComment, sheet: Sheet, { limits }: TableContext): SheetComment {
  const reference = `${comment.reference} ${sheet.textOf(comment.reference)}`.trim();
  limits.count(reference + comment.author + comment.text);
  return { ...comment, reference };
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
  let said = '';
  const endString = (): void => {
    // Each string belongs to a cell, so the limit for cells applies.
    if (strings.push(said) > cellsMax) throw tooMany('strings', cellsMax);
  };
  readXml(xml, {
    // Phonetic text repeats how a word is pronounced.
    leavesOut: (name) => name === 'rPh',
    elements: { si: { open: () => (said = ''), close: endString }, t: { close: (text) => (said += text) } },
  });
  return strings;
}
