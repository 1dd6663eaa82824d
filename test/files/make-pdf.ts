// PDFs whose text stands where a test says.
import { pdfOf } from './make-files.ts';

/**
 * `wide` and `narrow` have every character of Unicode's first plane, one and half an em wide, in the order in which they are drawn.
 * `capitals` names the letters of A to Z only.
 */
export type PdfFont = 'regular' | 'bold' | 'code' | 'wide' | 'narrow' | 'predefined' | 'capitals';

export interface DrawnText {
  /** From the left and from the bottom of the page, in points: a page is 612 by 792. */
  readonly x: number;
  readonly y: number;
  /** Of `predefined`: bytes in its encoding. */
  readonly text: string | Uint8Array;
  /** 10 unless given. */
  readonly size?: number;
  readonly font?: PdfFont;
  /** Number of the marked content, for {@link PdfOptions.tags}. */
  readonly mark?: number;
}

/** An element of the structure tree: its role, and elements or numbers of marked content in it. */
export interface DrawnTag {
  readonly role: string;
  readonly kids: readonly (DrawnTag | number)[];
}

export interface DrawnLink {
  /** Left, bottom, right, top. */
  readonly box: readonly [number, number, number, number];
  readonly url: string;
}

export interface DrawnPage {
  readonly texts: readonly DrawnText[];
  readonly links?: readonly DrawnLink[];
}

export interface OutlineEntry {
  readonly title: string;
  readonly entries?: readonly OutlineEntry[];
}

interface PdfOptions {
  readonly outline?: readonly OutlineEntry[];
  /** Of the font `predefined`, which is not in the file: the name of its character map, and its collection. */
  readonly predefined?: readonly [cmap: string, ordering: string];
  /** Tags of the only page. */
  readonly tags?: readonly DrawnTag[];
}

const firstFont = 3;
const fontNumbers: Readonly<Record<PdfFont, number>> = {
  regular: firstFont,
  bold: firstFont + 1,
  code: firstFont + 2,
  wide: firstFont + 3,
  narrow: firstFont + 4,
  predefined: firstFont + 5,
  capitals: firstFont + 7,
};

export function drawnPdf(pages: readonly DrawnPage[], options: PdfOptions = {}): Uint8Array {
  const [cmap, ordering] = options.predefined ?? ['90ms-RKSJ-H', 'Japan1'];
  const descendant = (more: string): string =>
    `[<< /Type /Font /Subtype /CIDFontType0 /BaseFont /None ${more} /FontDescriptor << /Type /FontDescriptor /FontName /None /Flags 4 >> >>]`;
  const unicode = (width: number, map = 9): string =>
    `<< /Type /Font /Subtype /Type0 /BaseFont /None /Encoding /Identity-H /ToUnicode ${map} 0 R /DescendantFonts ${descendant(`/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW ${width}`)} >>`;
  const objects = [
    '',
    '',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
    unicode(1_000),
    unicode(500),
    `<< /Type /Font /Subtype /Type0 /BaseFont /None /Encoding /${cmap} /DescendantFonts ${descendant(`/CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /DW 1000`)} >>`,
    streamOf(unicodeMap(everyRange)),
    unicode(500, 11),
    streamOf(unicodeMap('1 beginbfrange\n<0041> <005a> <0041>\nendbfrange')),
  ];
  const add = (object: string): number => objects.push(object);
  const kids = pages.map(({ texts, links = [] }) => {
    const contents = add(streamOf(texts.map(drawn).join('\n')));
    const annotations = links.map(
      ({ box, url }) => `<< /Type /Annot /Subtype /Link /Rect [${box.join(' ')}] /A << /S /URI /URI (${url}) >> >>`,
    );
    const fonts = Object.values(fontNumbers).map((number) => `/F${number} ${number} 0 R`);
    return add(
      `<< /Type /Page /Parent 2 0 R /StructParents 0 /MediaBox [0 0 612 792] /Resources << /Font << ${fonts.join(' ')} >> >> /Contents ${contents} 0 R /Annots [${annotations.join(' ')}] >>`,
    );
  });
  const tagRoot = options.tags && addTags(options.tags, kids[0] ?? 0, objects);
  const outline = options.outline && addOutline(options.outline, add);
  objects[0] = `<< /Type /Catalog /Pages 2 0 R ${outline === undefined ? '' : `/Outlines << /First ${outline} 0 R >>`} ${tagRoot === undefined ? '' : `/MarkInfo << /Marked true >> /StructTreeRoot ${tagRoot} 0 R`} >>`;
  objects[1] = `<< /Type /Pages /Count ${pages.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`;
  return pdfOf(objects);
}

/** Lines below each other, the first at the top. */
export function linesAt(
  x: number,
  y: number,
  texts: readonly string[],
  { size = 10, font = 'regular' }: { readonly size?: number; readonly font?: PdfFont } = {},
): DrawnText[] {
  return texts.map((text, index) => ({ x, y: y - index * size * 1.2, text, size, font }));
}

function drawn({ x, y, text, size = 10, font = 'regular', mark }: DrawnText): string {
  const block = `BT /F${fontNumbers[font]} ${size} Tf ${x} ${y} Td ${shown(text, font)} Tj ET`;
  return mark === undefined ? block : `/Span << /MCID ${mark} >> BDC ${block} EMC`;
}

function shown(text: string | Uint8Array, font: PdfFont): string {
  if (typeof text !== 'string') return `<${Buffer.from(text).toString('hex')}>`;
  if (font === 'wide' || font === 'narrow' || font === 'capitals')
    return `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
  return `(${text.replaceAll(/[\\()]/g, String.raw`\$&`)})`;
}

/** Returns the number of the first entry. */
function addOutline(entries: readonly OutlineEntry[], add: (object: string) => number): number {
  let next: number | undefined;
  for (const { title, entries: inner } of entries.toReversed()) {
    const child = inner && addOutline(inner, add);
    const links = [next === undefined ? '' : `/Next ${next} 0 R`, child === undefined ? '' : `/First ${child} 0 R`];
    next = add(`<< /Title (${title}) ${links.join(' ')} >>`);
  }
  return next ?? 0;
}

/** Returns the number of the root. */
function addTags(tags: readonly DrawnTag[], page: number, objects: string[]): number {
  const parents: number[] = [];
  const root = objects.push('');
  const addElement = ({ role, kids }: DrawnTag, parent: number): number => {
    const element = objects.push('');
    const inner = kids.map((kid) => {
      if (typeof kid !== 'number') return `${addElement(kid, element)} 0 R`;
      parents[kid] = element;
      return String(kid);
    });
    objects[element - 1] =
      `<< /Type /StructElem /S /${role} /P ${parent} 0 R /Pg ${page} 0 R /K [${inner.join(' ')}] >>`;
    return element;
  };
  const inner = tags.map((tag) => `${addElement(tag, root)} 0 R`);
  const numbers = Array.from(parents, (parent) => `${parent} 0 R`).join(' ');
  objects[root - 1] = `<< /Type /StructTreeRoot /K [${inner.join(' ')}] /ParentTree << /Nums [0 [${numbers}]] >> >>`;
  return root;
}

function streamOf(text: string): string {
  return `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;
}

function unicodeMap(ranges: string): string {
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
${ranges}
endcmap end end`;
}

const everyRange = [0, 100, 200]
  .map((from) => {
    const rows = Array.from({ length: Math.min(100, 256 - from) }, (_, index) => hex(from + index));
    return `${rows.length} beginbfrange\n${rows.map((row) => `<${row}00> <${row}ff> <${row}00>`).join('\n')}\nendbfrange`;
  })
  .join('\n');

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
