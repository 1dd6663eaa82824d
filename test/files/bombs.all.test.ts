// Files that are small and become large when they are read. Each is converted in a process of its own, whose memory is measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { FileKind } from '../../src/core/bytes/file-kind.ts';
import type { Converted } from './convert-alone.ts';
import {
  bombPdf,
  bombXlsx,
  drawn,
  entry,
  longDeflate,
  longEntry,
  lzwBomb,
  MiB,
  nestedZip,
  pdfStream,
  type RawEntry,
  rawZip,
  repeatedDeflate,
  repeatedZlib,
  runLengths,
  spaces,
  zlibOf,
} from './make-bombs.ts';
import { docx, pdfOf, relations, utf8, wordParagraph } from './make-files.ts';

/** 512 of a thread, and 100 of a process that has read nothing. */
const peakMiBMax = 612;
/** PDFs decode to 64 MiB, or ten times their size. */
const pdfPeakMiBMax = 460;
/** Where the limit of a thread's memory ends the reading: that, the rest of the process, and what is taken between two looks. */
const peakAtLimitMiBMax = 850;
/** A file has 20 s of a processor. The process needs some itself. */
const processorMsMax = 25_000;

async function convert(kind: FileKind, file: Uint8Array | string): Promise<Converted> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'convert-alone.ts'), kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(file);
  const [output] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
  const converted = JSON.parse(output) as Converted;
  if (process.env['SHOW_BOMBS'])
    console.log(JSON.stringify({ kind, size: file.length, ...converted, text: converted.text.slice(0, 60) }));
  const isAtLimit = converted.message?.includes('took more memory') === true;
  const ordinary = kind === 'pdf' ? pdfPeakMiBMax : peakMiBMax;
  expect(converted.peakMiB).toBeLessThan(isAtLimit ? peakAtLimitMiBMax : ordinary);
  expect(converted.processorMs).toBeLessThan(processorMsMax);
  return converted;
}

const flate = (text: string): string => pdfStream('/Filter /FlateDecode', deflateSync(text));
const bombStream = (times: number): string => pdfStream('/Filter /FlateDecode', repeatedZlib(spaces(16 * MiB), times));
/** `next` is the number of the form that it may draw. */
const form = (bytes: Uint8Array, next: number): string =>
  pdfStream(
    `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Filter /FlateDecode /Resources << /Font << /F1 3 0 R >> /XObject << /F ${next} 0 R >> >>`,
    bytes,
  );
const good = (word: string): { readonly contents: string } => ({ contents: flate(drawn(word)) });

describe('a PDF whose second page is a bomb is delivered up to there', () => {
  const stream = (dictionary: string, bytes: Uint8Array): { readonly contents: string } => ({
    contents: pdfStream(dictionary, bytes),
  });
  const predictor = '/DecodeParms << /Predictor 12 /Columns 4 >>';
  const twice = deflateSync(repeatedZlib(spaces(16 * MiB), 128), { level: 9 });
  test.each<[string, { readonly contents: string | readonly string[]; readonly resources?: string }, string[]?]>([
    ['one Flate stream of 2 GiB', { contents: bombStream(128) }],
    ['Flate with a predictor', stream(`/Filter /FlateDecode ${predictor}`, repeatedZlib(Buffer.alloc(16 * MiB), 128))],
    [
      'Flate with rows of 2 GB',
      stream(
        '/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 200000000 >>',
        deflateSync(Buffer.alloc(MiB)),
      ),
    ],
    ['LZW', stream('/Filter /LZWDecode', lzwBomb(200 * MiB))],
    [
      'Flate of run lengths',
      stream('/Filter [/FlateDecode /RunLengthDecode]', deflateSync(runLengths(2 * MiB), { level: 9 })),
    ],
    ['run lengths', stream('/Filter /RunLengthDecode', runLengths(MiB))],
    ['Flate in Flate', stream('/Filter [/FlateDecode /FlateDecode]', twice)],
    [
      'Flate in hexadecimal digits',
      stream('/Filter [/ASCIIHexDecode /FlateDecode]', Buffer.from(repeatedZlib(spaces(16 * MiB), 64).toString('hex'))),
    ],
    ['Flate that nothing ends', stream('/Filter /FlateDecode', repeatedZlib(spaces(16 * MiB), 64).subarray(0, -6))],
    ['many streams', { contents: Array.from({ length: 300 }, () => bombStream(1)) }],
    [
      'a form that is drawn 1,000 times',
      { contents: flate('/F Do '.repeat(1_000)), resources: '/XObject << /F 4 0 R >>' },
      [form(zlibOf(longDeflate(drawn('x'), ' '.repeat(MiB), 1)), 3)],
    ],
    [
      'forms that draw forms, twice each, 30 deep',
      { contents: flate('/F Do'), resources: '/XObject << /F 4 0 R >>' },
      Array.from({ length: 30 }, (_, level) =>
        form(deflateSync(`${' '.repeat(MiB)} ${level < 29 ? '/F Do /F Do' : drawn('x')}`), level + 5),
      ),
    ],
    [
      'a map of characters',
      {
        contents: flate('BT /B 12 Tf (text) Tj ET'),
        resources: '/B << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 4 0 R >>'
          .replace(/^/, '/Font << /F1 3 0 R ')
          .concat(' >>'),
      },
      [bombStream(128)],
    ],
  ])('%s', async (_, bomb, others = []) => {
    const { outcome, metadata, text, message } = await convert(
      'pdf',
      bombPdf([good('before'), bomb, good('behind')], others),
    );
    expect({ outcome, text, message }).toEqual({ outcome: 'page', text: 'before' });
    expect(metadata).toMatchObject({ truncated: true, pageCount: 3 });
  });
});

describe('a PDF of nothing but a bomb is refused', () => {
  const padding = ' '.repeat(16 * MiB);
  /** The catalogue, and whatever it names, in a stream of objects. */
  const objects = zlibOf(longDeflate('2 0 3 40 << /Type /Catalog /Pages 3 0 R >>', padding, 128, '<< /Type /Pages >>'));
  test.each<[string, () => Uint8Array, string[]]>([
    ['a page of 2 GiB', () => bombPdf([{ contents: bombStream(128) }]), ['parse_budget']],
    [
      'its objects in a stream of 2 GiB',
      () =>
        withXrefStream(
          pdfStream('/Type /ObjStm /N 2 /First 9 /Filter /FlateDecode', objects),
          Buffer.from([0, 0, 255, 0, 0, 255, 2, 9, 0, 2, 9, 1, 1, 9, 0]),
        ),
      ['parse_budget'],
    ],
    [
      'a table of objects of 2 GiB',
      () =>
        withXrefStream('null', zlibOf(longDeflate('', '\u0000\u0000\u0000'.repeat(MiB), 700)), '/Filter /FlateDecode'),
      ['parse_budget', 'unreadable_file'],
    ],
    [
      'a table of 4,000,000,000 objects',
      () =>
        pdfOf(
          ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 1 /Kids [2 0 R] >>'],
          '/Index [0 4000000000]',
        ),
      ['parse_budget', 'unreadable_file'],
    ],
  ])('%s', async (_, file, outcomes) => {
    const { outcome } = await convert('pdf', file());
    expect(outcomes).toContain(outcome);
  });
});

describe('an ordinary PDF', () => {
  test('of 300 MB of pictures is read as any other: they are not unpacked', async () => {
    const picture =
      '/Type /XObject /Subtype /Image /Width 4096 /Height 4096 /ColorSpace /DeviceGray /BitsPerComponent 8';
    const pictures = Array.from({ length: 19 }, () =>
      pdfStream(`${picture} /Filter /FlateDecode`, repeatedZlib(spaces(16 * MiB), 1)),
    );
    const pages = pictures.map((__, index) => ({
      contents: flate(drawn(`Page ${index}`, '/I Do')),
      resources: `/XObject << /I ${index + 4} 0 R >>`,
    }));
    const { outcome, metadata, text } = await convert('pdf', bombPdf(pages, pictures));
    expect(outcome).toBe('page');
    expect(metadata).not.toHaveProperty('truncated');
    expect(text).toContain('Page 18');
  });

  test('that is large may unpack to ten times its size', async () => {
    const noise = Buffer.from(Uint8Array.from({ length: 10 * MiB }, () => Math.random() * 256));
    // 96 MiB in a file of 10.
    const pages = [
      good('the first'),
      ...Array.from({ length: 3 }, () => ({ contents: bombStream(1) })),
      good('the last'),
    ];
    const { outcome, metadata, text } = await convert('pdf', bombPdf(pages, [pdfStream('', noise)]));
    expect({ outcome, text }).toEqual({ outcome: 'page', text: 'the first\n\n---\n\nthe last' });
    expect(metadata).not.toHaveProperty('truncated');
  });
});

describe('an archive', () => {
  const lie = (name: string): RawEntry => ({ name, deflated: repeatedDeflate(spaces(16 * MiB), 256), size: 1_000 });
  const honest = (name: string): RawEntry => ({ ...lie(name), size: 2 ** 32 - 1 });
  const container = entry(
    'META-INF/container.xml',
    '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
  );
  test.each<[string, FileKind, () => Uint8Array, string[]]>([
    ['DOCX of 4 GiB', 'docx', () => rawZip([honest('word/document.xml')]), ['parse_budget']],
    [
      'DOCX of 4 GiB that says 1,000 bytes',
      'docx',
      () => rawZip([lie('word/document.xml')]),
      ['unreadable_file', 'page'],
    ],
    [
      'DOCX of 49 MiB of paragraphs',
      'docx',
      () => rawZip([longEntry('word/document.xml', '<w:document><w:body>', wordParagraph('a').repeat(1_000), 1_050)]),
      ['page', 'parse_budget'],
    ],
    [
      'DOCX of 49 MiB of one word',
      'docx',
      () => rawZip([longEntry('word/document.xml', '<w:document><w:p><w:r><w:t>', 'a'.repeat(MiB), 49)]),
      ['page'],
    ],
    ['DOCX of a billion laughs', 'docx', () => docx({ body: wordParagraph('&l9;'), before: laughs }), ['page']],
    ['DOCX in DOCX in DOCX', 'docx', () => nestedZip(200), ['page', 'unreadable_file']],
    ['PPTX of 4 GiB', 'pptx', () => rawZip([honest('ppt/presentation.xml')]), ['parse_budget']],
    [
      'PPTX whose 1,900 slides are the same bytes',
      'pptx',
      () => {
        const ids = Array.from({ length: 1_900 }, (_, index) => index);
        const { deflated, size, checksum } = longEntry(
          'x',
          '<p:sld xmlns:p="p" xmlns:a="a">',
          '<a:p><a:r><a:t>text</a:t></a:r></a:p>'.repeat(1_000),
          10,
        );
        return rawZip([
          entry(
            'ppt/presentation.xml',
            `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${ids.map((id) => `<p:sldId id="${id}" r:id="r${id}"/>`).join('')}</p:sldIdLst></p:presentation>`,
          ),
          entry(
            'ppt/_rels/presentation.xml.rels',
            relations(ids.map((id) => [`r${id}`, 'slide', `slides/s${id}.xml`])),
          ),
          ...ids.map((id) => ({ name: `ppt/slides/s${id}.xml`, deflated, size, checksum })),
        ]);
      },
      ['parse_budget'],
    ],
    ['EPUB of 4 GiB', 'epub', () => rawZip([container, honest('a.opf')]), ['parse_budget']],
    [
      'EPUB that has one chapter 10,000 times',
      'epub',
      () => {
        const spine = '<itemref idref="c"/>'.repeat(10_000);
        return rawZip([
          container,
          entry(
            'a.opf',
            `<package><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine>${spine}</spine></package>`,
          ),
          longEntry('c.xhtml', '<html><body>', '<p>All of it again.</p>'.repeat(1_000), 20),
        ]);
      },
      ['page'],
    ],
    [
      'of 60,000 entries',
      'docx',
      () => rawZip(Array.from({ length: 60_000 }, (_, index) => ({ name: `f${index}`, deflated: nothing, size: 0 }))),
      ['parse_budget'],
    ],
    [
      'XLSX of 4 GiB of strings',
      'xlsx',
      () => bombXlsx(entry('xl/worksheets/s0.xml', '<worksheet/>'), [honest('xl/sharedStrings.xml')]),
      ['parse_budget'],
    ],
    [
      'XLSX of 8 million shared strings',
      'xlsx',
      () =>
        bombXlsx(entry('xl/worksheets/s0.xml', '<worksheet/>'), [
          longEntry('xl/sharedStrings.xml', '<sst>', '<si/>'.repeat(100_000), 80),
        ]),
      ['parse_budget'],
    ],
    [
      'XLSX of a million cells that all show one string of 30,000 characters',
      'xlsx',
      () =>
        bombXlsx(
          longEntry(
            'xl/worksheets/s0.xml',
            '<worksheet><sheetData>',
            `<row>${'<c t="s"><v>0</v></c>'.repeat(1_000)}</row>`,
            999,
            '</sheetData></worksheet>',
          ),
          [entry('xl/sharedStrings.xml', `<sst><si><t>${'long '.repeat(6_000)}</t></si></sst>`)],
        ),
      ['parse_budget'],
    ],
    [
      'XLSX of a million cells',
      'xlsx',
      () =>
        bombXlsx(
          longEntry(
            'xl/worksheets/s0.xml',
            '<worksheet><sheetData>',
            `<row>${'<c><v>1</v></c>'.repeat(1_000)}</row>`,
            999,
            '</sheetData></worksheet>',
          ),
        ),
      ['page'],
    ],
    [
      'XLSX whose cells are as far apart as a sheet goes',
      'xlsx',
      () => {
        const rows = Array.from(
          { length: 16_000 },
          (_, index) => `<row r="${index * 60 + 1}"><c r="${columnName(index)}${index * 60 + 1}"><v>1</v></c></row>`,
        );
        return bombXlsx(
          entry(
            'xl/worksheets/s0.xml',
            `<worksheet><dimension ref="A1:XFD1048576"/><sheetData>${rows.join('')}</sheetData></worksheet>`,
          ),
        );
      },
      ['parse_budget'],
    ],
  ])('%s', async (_, kind, file, outcomes) => {
    const { outcome } = await convert(kind, file());
    expect(outcomes).toContain(outcome);
  });

  test('that contains itself is read once', async () => {
    expect((await convert('docx', quine)).outcome).toBe('unreadable_file');
  });
});

describe('a file of text', () => {
  test.each<[string, FileKind, string, string[]]>([
    ['RTF with groups in groups', 'rtf', String.raw`{\rtf1 ${'{'.repeat(5 * MiB)}`, ['parse_budget']],
    [
      'RTF of 10 million paragraphs',
      'rtf',
      String.raw`{\rtf1 ${String.raw`\par a`.repeat(2 * MiB)}}`,
      ['parse_budget', 'page'],
    ],
    ['CSV of one line of 15 MB', 'csv', 'a'.repeat(15 * MiB), ['page']],
    ['CSV of nothing but commas', 'csv', ','.repeat(15 * MiB), ['parse_budget']],
    ['CSV of nothing but lines', 'csv', 'a\n'.repeat(7 * MiB), ['parse_budget', 'page']],
    [
      'CSV of one long row and a million short ones',
      'csv',
      `${'a,'.repeat(900_000)}\n${'b\n'.repeat(90_000)}`,
      ['parse_budget'],
    ],
    ['CSV that a quotation mark opens', 'csv', `"${'a\n'.repeat(7 * MiB)}`, ['page']],
    ['XML of 7 million elements', 'xml', `<a>${'<b/>'.repeat(4 * MiB)}</a>`, ['page']],
    ['JSON of brackets', 'json', '['.repeat(15 * MiB), ['page']],
  ])('%s', async (_, kind, file, outcomes) => {
    const { outcome } = await convert(kind, utf8(file));
    expect(outcomes).toContain(outcome);
  });
});

const nothing = deflateRawSync(Buffer.alloc(0));
const laughs = `<!DOCTYPE x [<!ENTITY l0 "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('')}]>`;
/** Rob Pike's idea in its smallest form: the entry of an archive is the archive, by overlapping it. */
const quine = ((): Uint8Array => {
  const outer = rawZip([{ name: 'x.docx', deflated: nothing, size: 0 }]);
  return rawZip([{ name: 'x.docx', deflated: deflateRawSync(outer), size: outer.length }]);
})();

function columnName(column: number): string {
  let name = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

/** `object` is number 9, before a table of all objects as a stream, with two bytes for a place. The catalogue is number 2. */
function withXrefStream(object: string, table: Uint8Array, filter = ''): Uint8Array {
  const head = `%PDF-1.5\n9 0 obj\n${object}\nendobj\n`;
  const stream = pdfStream(`/Type /XRef /Size 700000000 /W [1 1 1] /Index [0 4 9 1] /Root 2 0 R ${filter}`, table);
  return Buffer.from(`${head}10 0 obj\n${stream}\nendobj\nstartxref\n${head.length}\n%%EOF\n`, 'latin1');
}
