// Small files of each kind, made by hand: what tests put behind links.
import { strToU8, type Zippable, zipSync } from 'fflate';

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function zip(parts: Readonly<Record<string, string>>): Uint8Array {
  const files: Zippable = Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]));
  return zipSync(files, { level: 6 });
}

/** Objects of a PDF from number 1 on; the first is the catalogue. */
export function pdfOf(objects: readonly string[], trailer = ''): Uint8Array {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  text += offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Pages of lines; a line that begins with `#` is set large. */
export function pdf(
  pages: readonly (readonly string[])[],
  info: Readonly<Record<string, string>> = {},
  trailer = '',
): Uint8Array {
  const first = 5;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< ${Object.entries(info)
      .map(([name, value]) => `/${name} (${value})`)
      .join(' ')} >>`,
  ];
  for (const [index, lines] of pages.entries()) {
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + index * 2 + 1} 0 R >>`,
    );
    let y = 720;
    const drawn = lines.map((line) => {
      const isLarge = line.startsWith('#');
      const shown = `BT /F1 ${isLarge ? 24 : 12} Tf 72 ${y} Td (${line.replace(/^# ?/, '')}) Tj ET`;
      // An empty line is a gap.
      y -= isLarge ? 40 : 14;
      return shown;
    });
    const stream = drawn.join('\n');
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  return pdfOf(objects, `/Info 4 0 R ${trailer}`);
}

/** Needs a password to be opened. */
export function lockedPdf(): Uint8Array {
  const noise = '5a'.repeat(32);
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <${noise}> /U <${noise}> >> /ID [<00> <00>]`;
  return pdf([['Secret']], {}, encrypt);
}

const core = (title: string, author: string): string =>
  `<?xml version="1.0"?><cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>${title}</dc:title>` +
  `<dc:creator>${author}</dc:creator><dcterms:created>2026-01-02T03:04:05Z</dcterms:created></cp:coreProperties>`;

export function relations(
  list: readonly (readonly [id: string, type: string, target: string, mode?: string])[],
): string {
  const items = list.map(
    ([id, type, target, mode]) =>
      `<Relationship Id="${id}" Type="http://schemas.example/${type}" Target="${target}"${mode === undefined ? '' : ` TargetMode="${mode}"`}/>`,
  );
  return `<Relationships>${items.join('')}</Relationships>`;
}

export interface DocxParts {
  readonly body: string;
  readonly before?: string;
  readonly others?: Readonly<Record<string, string>>;
}

export function docx({ body, before = '', others = {} }: DocxParts): Uint8Array {
  return zip({
    'word/document.xml': `<?xml version="1.0"?>${before}<w:document xmlns:w="w" xmlns:r="r"><w:body>${body}</w:body></w:document>`,
    'docProps/core.xml': core('A letter', 'Ada Writer'),
    ...others,
  });
}

export const wordParagraph = (text: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Sheets by name, as the XML of their rows. */
export function xlsx(
  sheets: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>> = {},
  hidden: readonly string[] = [],
): Uint8Array {
  const names = Object.keys(sheets);
  const listed = names.map(
    (name, index) =>
      `<sheet name="${name}" sheetId="${index + 1}" r:id="r${index}"${hidden.includes(name) ? ' state="hidden"' : ''}/>`,
  );
  return zip({
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      names.map((_, index) => [`r${index}`, 'worksheet', `worksheets/s${index}.xml`]),
    ),
    ...Object.fromEntries(
      names.map((name, index) => [
        `xl/worksheets/s${index}.xml`,
        `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    'docProps/core.xml': core('A sheet', 'Ada Counter'),
    ...others,
  });
}

/** Slides as the XML of their shapes, the last one first in the archive. */
export function pptx(slides: readonly string[], others: Readonly<Record<string, string>> = {}): Uint8Array {
  return zip({
    'ppt/presentation.xml': `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${slides
      .map((_, index) => `<p:sldId id="${index}" r:id="r${index}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      slides.map((_, index) => [`r${index}`, 'slide', `slides/slide${index}.xml`]),
    ),
    ...Object.fromEntries(
      slides
        .map(
          (shapes, index) =>
            [`ppt/slides/slide${index}.xml`, `<p:sld xmlns:p="p" xmlns:a="a">${shapes}</p:sld>`] as const,
        )
        .toReversed(),
    ),
    'docProps/core.xml': core('A talk', 'Ada Speaker'),
    ...others,
  });
}

export const shape = (placeholder: string | undefined, paragraphs: readonly string[]): string =>
  `<p:sp><p:nvPr>${placeholder === undefined ? '' : `<p:ph type="${placeholder}"/>`}</p:nvPr><p:txBody>${paragraphs
    .map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`;

export function epub(chapters: readonly string[], others: Readonly<Record<string, string>> = {}): Uint8Array {
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/book.opf': `<package xmlns:dc="d"><metadata><dc:title>A book</dc:title><dc:creator>Ada Teller</dc:creator><dc:creator>Bo Teller</dc:creator><dc:language>en</dc:language></metadata>
      <manifest>${chapters.map((_, index) => `<item id="c${index}" href="text/c%20${index}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest>
      <spine>${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((body, index) => [
        `OEBPS/text/c ${index}.xhtml`,
        `<?xml version="1.0"?><!DOCTYPE html><html xmlns="x"><head><title>Not this</title></head><body>${body}</body></html>`,
      ]),
    ),
    ...others,
  });
}

export const rtf =
  '{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}}{\\info{\\title A note}{\\author Ada Noter}}' +
  "{\\*\\generator Some Word;}\\pard First \\b bold\\b0  line: caf\\'e9, \\u8364?5.\\par Second\\line broken\\par {\\pict 00ff00}}";
