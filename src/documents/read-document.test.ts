import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DocumentKind } from '../core/bytes/file-kind.ts';
import type { OutputFormat } from '../core/job.ts';
import { convertDocument, type ConvertedDocument } from '../extract/convert-document.ts';
import { encodeText } from '../../test/encode-text.ts';
import {
  docx,
  epub,
  lockedPdf,
  pdf,
  pptx,
  relations,
  rtf,
  shape,
  utf8,
  wordParagraph,
  xlsx,
  zip,
} from '../../test/files/make-files.ts';
import { type BombPage, bombPdf, drawn, MiB, pdfStream, repeatedZlib, spaces } from '../../test/files/make-bombs.ts';
import { readDocument } from './read-document.ts';

async function read(
  kind: DocumentKind,
  file: Uint8Array | string,
  outputFormat: OutputFormat = 'markdown',
  contentType = '',
): Promise<ConvertedDocument> {
  const document = await readDocument(kind, { bytes: typeof file === 'string' ? utf8(file) : file, contentType });
  if (!document) throw new Error('no document');
  return convertDocument(document, { url: 'http://site.example/files/x', outputFormat });
}

const markdownOf = async (kind: DocumentKind, file: Uint8Array | string): Promise<string> =>
  (await read(kind, file)).text;

describe('PDF', () => {
  const file = pdf(
    [
      [
        '# The Title',
        'This is the first line of a long para-',
        'graph that is still going on in the next line',
        'and ends here.',
        '',
        'Another.',
      ],
      ['On page two.'],
    ],
    { Title: 'Stated title', Author: 'Ada', CreationDate: "D:20240131120000+01'00'" },
  );

  test('PDF: is read by page with headings and paragraphs', async () => {
    const { text, metadata } = await read('pdf', file);
    expect(text).toBe(
      '# The Title\n\nThis is the first line of a long paragraph that is still going on in the next line and ends here.\n\nAnother.\n\n---\n\nOn page two.',
    );
    expect(metadata).toMatchObject({
      title: 'Stated title',
      author: 'Ada',
      publishedTime: '2024-01-31T12:00:00+01:00',
      pageCount: 2,
    });
  });

  test('PDF: is written as text and as HTML', async () => {
    expect((await read('pdf', file, 'text')).text).toContain('The Title\n\nThis is the first line');
    expect((await read('pdf', file, 'html')).text).toContain('<h1>The Title</h1><p>This is');
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['locked with a password', lockedPdf(), /password/],
    ['truncated', utf8('%PDF-1.7\n%cut'), /damaged/],
    ['an HTML page', utf8('<!doctype html><p>Not found'), /damaged/],
    ['empty', new Uint8Array(0), /damaged/],
  ])('PDF: is rejected as unreadable when it is %s', async (_, bytes, message) => {
    await expect(read('pdf', bytes)).rejects.toMatchObject({
      reason: 'unreadable_file',
      message: expect.stringMatching(message),
    });
  });

  test('PDF: is read up to 64 MiB of unpacked data, and metadata reports the cut', async () => {
    const bomb = { contents: pdfStream('/Filter /FlateDecode', repeatedZlib(spaces(16 * MiB), 6)) };
    const page = (word: string): BombPage => ({ contents: pdfStream('', utf8(drawn(word))) });
    const { text, metadata } = await read('pdf', bombPdf([page('One'), page('Two'), bomb, page('Four')]));
    expect(text).toBe('One\n\n---\n\nTwo');
    expect(metadata).toMatchObject({ truncated: true, pageCount: 4 });
    await expect(read('pdf', bombPdf([bomb]))).rejects.toMatchObject({ reason: 'parse_budget' });
    // Each file has its own budget.
    expect((await read('pdf', file)).metadata).not.toHaveProperty('truncated');
  });

  test('PDF: is rejected beyond 2,000 pages', { timeout: 120_000 }, async () => {
    const pages = Array.from({ length: 2_000 }, (_, index) => [`Page ${index}`]);
    expect((await read('pdf', pdf(pages))).text).toContain('Page 1999');
    await expect(read('pdf', pdf([...pages, ['One more']]))).rejects.toMatchObject({ reason: 'parse_budget' });
  });
});

describe('DOCX', () => {
  const numbering =
    '<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>' +
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>';
  const styles =
    '<w:styles><w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="H2"/></w:style></w:styles>';
  const item = (text: string, level: number): string =>
    wordParagraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`);
  const cell = (text: string): string => `<w:tc>${wordParagraph(text)}</w:tc>`;
  const file = docx({
    body: [
      wordParagraph('Chapter &amp; verse', '<w:pStyle w:val="Own"/>'),
      '<w:p><w:r><w:t xml:space="preserve">Some </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bo</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>ld</w:t></w:r>',
      '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:hyperlink r:id="l1"><w:r><w:t xml:space="preserve"> link</w:t></w:r></w:hyperlink></w:p>',
      item('one', 0),
      item('deeper', 1),
      item('two', 0),
      `<w:tbl><w:tblPr><w:tblLook w:val="0020"/></w:tblPr><w:tr>${cell('Name')}${cell('Age')}</w:tr><w:tr>${cell('Ada')}${cell('36')}</w:tr></w:tbl>`,
      '<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>Once</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>Once</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>',
    ].join(''),
    others: {
      'word/numbering.xml': numbering,
      'word/styles.xml': styles,
      'word/_rels/document.xml.rels': relations([['l1', 'hyperlink', 'https://other.example/', 'External']]),
      'word/footnotes.xml': `<w:footnotes><w:footnote>${wordParagraph('A note.')}</w:footnote></w:footnotes>`,
    },
  });

  test('DOCX: continues list numbers after a paragraph, and an item in a paragraph without bullet', async () => {
    const level = (index: number, format: string, text: string): string =>
      `<w:lvl w:ilvl="${index}"><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const lists = `<w:numbering><w:abstractNum w:abstractNumId="7">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%2.')}</w:abstractNum><w:abstractNum w:abstractNumId="8">${level(0, 'bullet', ' ')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`;
    const plain = (text: string): string =>
      wordParagraph(text, '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>');
    const body = [
      plain('before'),
      item('one', 0),
      item('a', 1),
      plain('more of one'),
      item('two', 0),
      item('b', 1),
      wordParagraph('Between.'),
      item('c', 1),
      wordParagraph('Again.'),
      item('three', 0),
      wordParagraph('Last.'),
      item('first', 0).replace('w:numId w:val="1"', 'w:numId w:val="3"'),
    ].join('');
    expect((await read('docx', docx({ body, others: { 'word/numbering.xml': lists } }))).text).toBe(
      'before\n\n1. one\n\n   1. a\n\n   more of one\n\n2. two\n\n   1. b\n\nBetween.\n\n2. c\n\nAgain.\n\n3. three\n\nLast.\n\n4. first',
    );
  });

  describe('numbers of DOCX', () => {
    const level = (index: number, format: string, text: string): string =>
      `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const definition = (id: number, ...levels: string[]): string =>
      `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`;
    const list = (id: number, of: number, more = ''): string =>
      `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${more}</w:num>`;
    const lists = `<w:numbering>${definition(0, level(0, 'decimal', 'Article %1'), level(1, 'decimal', '%1.%2'), level(2, 'lowerLetter', '(%3)'))}${definition(1, level(0, 'decimal', '%1.'), level(1, 'bullet', '-'))}${definition(2, level(0, 'upperRoman', '%1.'))}${list(1, 0)}${list(2, 1)}${list(3, 1, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>')}${list(4, 2)}</w:numbering>`;
    const styles =
      '<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>';
    const at = (list: number, level: number, text: string, style = ''): string =>
      wordParagraph(text, `${style}<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`);
    const heading = (text: string): string => wordParagraph(text, '<w:pStyle w:val="H1"/>');
    test.each<[string, string, string]>([
      [
        'labels of headings and of items below them',
        heading('Scope') + at(1, 1, 'one') + at(1, 2, 'a') + at(1, 2, 'b') + heading('Price') + at(1, 1, 'two'),
        '# Article 1 Scope\n\n- 1.1 one\n  - (a) a\n  - (b) b\n\n# Article 2 Price\n\n- 2.1 two',
      ],
      ['two lists in sequence', at(2, 0, 'x') + at(2, 0, 'y') + at(3, 0, 'z'), '1. x\n2. y\n\n1) z'],
      [
        'a list that continues one of the same definition',
        at(2, 0, 'x') + wordParagraph('So') + at(2, 0, 'y'),
        '1. x\n\nSo\n\n2. y',
      ],
      ['Roman numbers', at(4, 0, 'x').repeat(4), '- I. x\n- II. x\n- III. x\n- IV. x'],
      ['an item without one above it', at(2, 1, 'deep') + wordParagraph('So'), '- deep\n\nSo'],
      ['a list that begins too deep', at(2, 1, 'deep') + at(5, 0, 'shallow'), '- deep\n- shallow'],
    ])('DOCX: keeps %s', async (_, body, expected) => {
      const others = { 'word/numbering.xml': lists, 'word/styles.xml': styles };
      expect(await markdownOf('docx', docx({ body, others }))).toBe(expected);
    });
  });

  describe('fields, hidden text and symbols of DOCX', () => {
    const run = (text: string, properties = ''): string =>
      `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const field = (instruction: string, result: string): string =>
      `${mark('begin')}<w:r><w:instrText>${instruction}</w:instrText></w:r>${mark('separate')}${result}${mark('end')}`;
    test.each<[string, string, string]>([
      [
        'the link of a field',
        field(' HYPERLINK "https://a.example/" \\l "p" ', run('there')) + run('.'),
        '[there](https://a.example/#p).',
      ],
      [
        'the link of a simple field',
        `<w:fldSimple w:instr='HYPERLINK "https://a.example/"'>${run('there')}</w:fldSimple>`,
        '[there](https://a.example/)',
      ],
      [
        'the result of a field, not its instruction',
        field(` IF ${field('MERGEFIELD x', run('x'))} = 1 `, run('shown')),
        'shown',
      ],
      ['text after a field that never ends', mark('begin') + run('lost') + '</w:p><w:p>' + run('kept'), 'kept'],
      ['no hidden text', run('a') + run('HIDDEN', '<w:vanish/>') + run('b', '<w:vanish w:val="0"/>'), 'ab'],
      ['symbols', '<w:r><w:sym w:font="Symbol" w:char="F062"/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', 'β☑'],
      [
        'the reading of a ruby after its base',
        `<w:r><w:ruby><w:rt>${run('よみ')}</w:rt><w:rubyBase>${run('読')}</w:rubyBase></w:ruby></w:r>${run('む')}`,
        '読(よみ)む',
      ],
    ])('DOCX: keeps %s', async (_, inside, expected) => {
      expect(await markdownOf('docx', docx({ body: `<w:p>${inside}</w:p>` }))).toBe(expected);
    });
  });

  test('DOCX: repeats a cell over several rows, and writes a table in a cell as lines', async () => {
    const merged = (text: string, value: string): string =>
      `<w:tc><w:tcPr><w:vMerge${value}/></w:tcPr>${wordParagraph(text)}</w:tc>`;
    const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`;
    const inner = `<w:tc><w:tbl>${row(cell('x'), cell('y'))}${row(cell('z'), cell(''))}</w:tbl><w:p/></w:tc>`;
    const body = `<w:tbl><w:tblPr><w:tblLook w:val="0020"/></w:tblPr>${row(cell('A'), cell('B'))}${row(merged('m', ' w:val="restart"'), cell('1'))}${row(merged('', ''), inner)}${row(cell('n'), cell('2'))}</w:tbl>`;
    expect(await markdownOf('docx', docx({ body }))).toBe(
      '| A | B |\n| --- | --- |\n| m | 1 |\n| m | x · y<br>z |\n| n | 2 |',
    );
  });

  test('DOCX: keeps headings by style, emphasis, links, lists, tables and notes', async () => {
    const { text, metadata } = await read('docx', file);
    expect(text).toBe(
      [
        '## Chapter & verse',
        'Some **bold** [link](https://other.example/)',
        '1. one\n   - deeper\n2. two',
        '| Name | Age |\n| --- | --- |\n| Ada | 36 |',
        'Once',
        '---',
        'A note.',
      ].join('\n\n'),
    );
    expect(metadata).toMatchObject({ title: 'A letter', author: 'Ada Writer', publishedTime: '2026-01-02T03:04:05Z' });
  });

  test('DOCX: keeps quotations, code, deleted, raised and lowered text, and notes at their marks', async () => {
    const style = (id: string, name: string): string =>
      `<w:style w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
    const run = (text: string, properties = ''): string =>
      `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const bytes = docx({
      body: [
        wordParagraph('Said one.', '<w:pStyle w:val="Q"/>'),
        wordParagraph('Said two.', '<w:pStyle w:val="Q"/>'),
        wordParagraph('if x:', '<w:pStyle w:val="C"/>'),
        `<w:p><w:pPr><w:pStyle w:val="C"/></w:pPr>${run('    y &lt; 1', '<w:rStyle w:val="VerbatimChar"/>')}</w:p>`,
        `<w:p>${run('Call ')}${run('main(', '<w:rStyle w:val="HTMLCode"/>')}${run(')', '<w:rStyle w:val="HTMLCode"/>')}${run(', please', '<w:rStyle w:val="Other"/>')}.</w:p>`,
        `<w:p>${run('Not ')}${run('old', '<w:strike/>')}${run(' but x')}${run('2', '<w:vertAlign w:val="superscript"/>')}${run(' and H')}${run('2', '<w:vertAlign w:val="subscript"/>')}${run('O')}<w:r><w:footnoteReference w:id="2"/></w:r>${run('.')}</w:p>`,
      ].join(''),
      others: {
        'word/styles.xml': `<w:styles>${style('Q', 'Quote')}${style('C', 'HTML Preformatted')}</w:styles>`,
        'word/footnotes.xml': `<w:footnotes><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote><w:footnote w:id="2">${wordParagraph('A note.')}</w:footnote></w:footnotes>`,
      },
    });
    expect(await markdownOf('docx', bytes)).toBe(
      '> Said one.\n>\n> Said two.\n\n```\nif x:\n    y < 1\n```\n\nCall `main()`, please\n\nNot ~~old~~ but x² and H₂O[^1].\n\n[^1]: A note.',
    );
  });

  describe('formulas of DOCX', () => {
    const r = (text: string): string => `<m:r><m:rPr/><w:rPr><w:b/></w:rPr><m:t>${text}</m:t></m:r>`;
    const e = (...inside: string[]): string => `<m:e>${inside.join('')}</m:e>`;
    test.each<[string, string, string]>([
      ['a fraction', `<m:f><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`, String.raw`\frac{a}{b}`],
      ['powers', `<m:sSup>${e(r('𝑥'))}<m:sup>${r('2')}</m:sup></m:sSup>${r('+α≤5')}`, String.raw`x^{2}+\alpha \leq 5`],
      ['an index', `<m:sSub>${e(r('ab'))}<m:sub>${r('i')}</m:sub></m:sSub>`, '{ab}_{i}'],
      [
        'a square root',
        `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(r('x'))}</m:rad>`,
        String.raw`\sqrt{x}`,
      ],
      ['a cube root', `<m:rad><m:deg>${r('3')}</m:deg>${e(r('x'))}</m:rad>`, String.raw`\sqrt[3]{x}`],
      [
        'a sum',
        `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${e(r('i'))}</m:nary>`,
        String.raw`\sum_{i=1}^{n}{i}`,
      ],
      [
        'a matrix in brackets',
        `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e(`<m:m><m:mr>${e(r('1'))}${e(r('0'))}</m:mr><m:mr>${e(r('0'))}${e(r('1'))}</m:mr></m:m>`)}</m:d>`,
        String.raw`\left[\begin{matrix}1 & 0 \\ 0 & 1\end{matrix}\right]`,
      ],
      ['a function', `<m:func><m:fName>${r('sin')}</m:fName>${e(r('x'))}</m:func>`, String.raw`\sin{x}`],
      ['an accent', `<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr>${e(r('v'))}</m:acc>`, String.raw`\vec{v}`],
      ['text', `<m:r><m:rPr><m:nor/></m:rPr><m:t>if 5% </m:t></m:r>`, String.raw`\text{if 5\% }`],
      ['signs of TeX', r('{a_b}\\$'), String.raw`\{a\_b\}\backslash \$`],
    ])('DOCX: writes as TeX a formula with %s', async (_, omml, tex) => {
      const math = `<m:oMath>${omml}</m:oMath>`;
      const body = `<w:p><w:r><w:t>So </w:t></w:r>${math}</w:p><w:p><m:oMathPara>${math}</m:oMathPara></w:p>`;
      expect(await markdownOf('docx', docx({ body }))).toBe(`So $${tex}$\n\n$$${tex}$$`);
    });

    test('DOCX: is rejected when a formula is nested 10,000 deep', async () => {
      const body = `<w:p><m:oMath>${'<m:sSup><m:e>'.repeat(10_000)}</m:oMath></w:p>`;
      await expect(read('docx', docx({ body }))).rejects.toMatchObject({ reason: 'parse_budget' });
    });

    test('DOCX: is read with any elements in any order', async () => {
      const names = [
        'oMath',
        'oMathPara',
        'r',
        't',
        'f',
        'num',
        'den',
        'e',
        'sub',
        'sup',
        'nary',
        'chr',
        'd',
        'm',
        'mr',
        'rad',
        'deg',
        'p',
        'tc',
      ];
      const tag = fc.tuple(fc.constantFrom('<m:', '</m:', '<w:', '</w:'), fc.constantFrom(...names));
      const piece = fc.oneof(
        tag.map(([start, name]) => `${start}${name}${start.startsWith('</') ? '' : ' m:val="∑"'}>`),
        fc.constantFrom('x', '\\', '$', '}', '^', '∑'),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
          const { text } = await read('docx', docx({ body: pieces.join('') }));
          expect(typeof text).toBe('string');
        }),
        { numRuns: 50 },
      );
    });
  });

  test('DOCX: aligns table columns like the first row below the header', async () => {
    const aligned = (text: string, jc: string): string =>
      `<w:tc>${wordParagraph(text, `<w:jc w:val="${jc}"/>`)}</w:tc>`;
    const rows = [
      `<w:tr>${aligned('A', 'center')}${aligned('B', 'center')}${aligned('C', 'center')}</w:tr>`,
      `<w:tr>${aligned('1', 'left')}${aligned('2', 'center')}${aligned('3', 'end')}</w:tr>`,
      `<w:tr>${aligned('4', 'right')}${aligned('5', 'right')}${aligned('6', 'right')}</w:tr>`,
    ];
    const body = `<w:tbl><w:tblPr><w:tblLook w:val="0020"/></w:tblPr>${rows.join('')}</w:tbl>`;
    expect(await markdownOf('docx', docx({ body }))).toBe(
      '| A | B | C |\n| --- | :---: | ---: |\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |',
    );
  });

  test('DOCX: does not expand its own entities', async () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const file = docx({
      before: `<!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]>`,
      body: wordParagraph('&l9; <w:t>ok</w:t>'),
    });
    expect((await markdownOf('docx', file)).length).toBeLessThan(100);
  });

  test('DOCX: is rejected when it is nested 10,000 deep', async () => {
    const file = docx({ body: `${'<w:sdt>'.repeat(10_000)}x` });
    await expect(read('docx', file)).rejects.toMatchObject({ reason: 'parse_budget' });
  });

  test.each<[string, 'unreadable_file' | 'parse_budget', Uint8Array]>([
    ['no archive', 'unreadable_file', utf8('Hello')],
    ['truncated', 'unreadable_file', file.subarray(0, file.length / 2)],
    ['damaged', 'unreadable_file', file.map((byte, index) => (index > 60 && index < 200 ? 0xff : byte))],
    ['another archive', 'unreadable_file', zip({ 'a.txt': 'a' })],
    ['an archive with a wrong checksum', 'unreadable_file', withOtherChecksum(file)],
    ['locked with a password', 'unreadable_file', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1)],
    ['a zip bomb of 60 MiB', 'parse_budget', docx({ body: ' '.repeat(60 * 2 ** 20) })],
    [
      'an archive of 2,001 entries',
      'parse_budget',
      zip(Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`${n}`, '']))),
    ],
  ])('DOCX: when it is %s, is rejected as %s', async (_, reason, bytes) => {
    await expect(read('docx', bytes)).rejects.toMatchObject({ reason });
  });

  /** In the central directory (APPNOTE 4.3.12), at 16. */
  function withOtherChecksum(bytes: Uint8Array): Uint8Array {
    const changed = Uint8Array.from(bytes);
    const view = new DataView(changed.buffer);
    for (let at = 0; at < changed.length - 4; at++) {
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 16, 7, true);
    }
    return changed;
  }

  test('DOCX: is not unpacked beyond the stated length of an entry', async () => {
    const bomb = docx({ body: 'x'.repeat(2 ** 20) });
    const view = new DataView(bomb.buffer, bomb.byteOffset, bomb.byteLength);
    for (let at = 0; at < bomb.length - 4; at++) {
      // The central directory (APPNOTE 4.3.12): the length when unpacked is at 24.
      if (view.getUint32(at, true) === 0x02014b50 && view.getUint32(at + 24, true) > 2 ** 20)
        view.setUint32(at + 24, 100, true);
    }
    const outcome = await read('docx', bomb).then(
      ({ text }) => text.length,
      (error: unknown) => error,
    );
    expect(outcome).toSatisfy((told) =>
      typeof told === 'number' ? told <= 100 : (told as { reason: string }).reason === 'unreadable_file',
    );
  });
});

describe('XLSX', () => {
  const strings =
    '<sst><si><t>Name</t></si><si><r><t>Bor</t></r><r><t>n</t></r><rPh><t>x</t></rPh></si><si><t>A|B</t></si></sst>';
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>';
  const rows =
    '<row r="1"><c r="B1" t="s"><v>0</v></c><c r="D1" t="s"><v>1</v></c><c r="XFD1"/></row>' +
    '<row r="5"><c r="B5" t="s"><v>2</v></c><c r="D5" s="1"><v>45322</v></c></row>' +
    '<row r="6"><c r="B6" t="inlineStr"><is><t>here</t></is></c><c r="D6" s="2"><v>45322.5</v></c></row>' +
    '<row r="7"><c r="B7" t="b"><v>1</v></c><c r="D7"><f>A1</f><v>0.30000000000000004</v></c></row>';

  test('XLSX: is a table for each sheet with the shown values', async () => {
    const file = xlsx(
      { Data: rows, Empty: '', Secret: rows },
      { 'xl/sharedStrings.xml': strings, 'xl/styles.xml': styles },
      ['Secret'],
    );
    const { text, metadata } = await read('xlsx', file);
    expect(text).toBe(
      '## Data\n\n| Name | Born |\n| --- | --- |\n| A\\|B | 2024-01-31 |\n| here | 2024-01-31 12:00:00 |\n| TRUE | 0.3 |',
    );
    expect(metadata).toMatchObject({ title: 'A sheet', author: 'Ada Counter' });
    expect((await read('xlsx', file, 'text')).text).toContain('Name\tBorn\nA|B\t2024-01-31');
    expect((await read('xlsx', file, 'html')).text).toContain('<tr><th>Name</th><th>Born</th></tr>');
  });

  describe('number formats of XLSX', () => {
    test.each<[string, number, string]>([
      ['#,##0.00', 1234.5, '1,234.50'],
      ['0.0%', 0.456, '45.6%'],
      ['"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', -3, '($3.00)'],
      ['[$€-407] #,##0.00', 1234.5, '€ 1.234,50'],
      ['[h]:mm:ss', 1.5, '36:00:00'],
      ['h:mm AM/PM', 1.5, '12:00:00'],
      ['mmm d, yyyy', 45322, '2024-01-31'],
      ['0.00E+00', 12345, '1.23E+04'],
      ['# ?/?', 0.5, '1/2'],
      ['[>=1000]0.0,"K";0', 1500, '1.5K'],
      ['000\\-00', 12345, '123-45'],
      ['General" kg"', 3, '3 kg'],
      ['0;-0;;@', 0, ''],
      // What is no format, and what no format can show.
      ['bogus [[', 4, '4'],
      [`0.${'0'.repeat(300)}`, 4, '4'],
    ])('XLSX: formats a number by %j: %d as %j', async (code, value, text) => {
      const attribute = code.replaceAll('"', '&quot;').replaceAll('>', '&gt;');
      const styles = `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${attribute}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`;
      const cells = `<row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c><c r="B1" s="0"><v>${value}</v></c></row>`;
      const file = xlsx({ S: cells }, { 'xl/styles.xml': styles });
      expect((await read('xlsx', file, 'text')).text).toBe(text === '' ? 'S\n\nx' : `S\n\nx\t${text}`);
    });

    test('XLSX: reads 1,000 hostile number formats', async () => {
      const codes = Array.from({ length: 1_000 }, (_, n) => `${'?/'.repeat(100)}${n}${'&quot;'.repeat(n % 3)}`);
      const numFmts = codes.map((code, n) => `<numFmt numFmtId="${200 + n}" formatCode="${code}"/>`);
      const styles = `<styleSheet><numFmts>${numFmts.join('')}</numFmts><cellXfs>${codes.map((_, n) => `<xf numFmtId="${200 + n}"/>`).join('')}</cellXfs></styleSheet>`;
      const row = `<row>${codes.map((_, n) => `<c s="${n}"><v>${n}.37</v></c>`).join('')}</row>`;
      const { text } = await read('xlsx', xlsx({ S: row.repeat(2) }, { 'xl/styles.xml': styles }));
      expect(text).toContain('999.37');
    });
  });

  test('XLSX: keeps the links and the comments of cells', async () => {
    const cell = (reference: string, text: string, formula = ''): string =>
      `<c r="${reference}" t="str">${formula}<v>${text}</v></c>`;
    const formula = '<f>HYPERLINK("https://other.example/b","B")</f>';
    const rows = `<row r="1">${cell('A1', 'Name')}${cell('B1', 'Site')}</row><row r="3">${cell('A3', 'x|[y]')}${cell('B3', 'B', formula)}</row>`;
    const links =
      '<hyperlinks><hyperlink ref="A3:A4" r:id="l1"/><hyperlink ref="A1" location="S!B3"/><hyperlink ref="B1" r:id="l2"/></hyperlinks>';
    const file = xlsx(
      { S: `${rows}</sheetData>${links}<sheetData>` },
      {
        'xl/worksheets/_rels/s0.xml.rels': relations([
          ['l1', 'hyperlink', 'https://other.example/a|(b', 'External'],
          ['l2', 'hyperlink', 'javascript:alert(1)', 'External'],
          ['c', 'comments', '../comments1.xml'],
          ['t', 'threadedComment', '../threadedComments/t1.xml'],
        ]),
        'xl/comments1.xml':
          '<comments><authors><author>Ada</author></authors><commentList><comment ref="A3" authorId="0"><text><r><t>Ada:</t></r><r><t>&#10;Is &lt;this&gt; right?</t></r></text></comment>' +
          '<comment ref="B3" authorId="0"><text><t>[Threaded comment] Your version</t></text></comment></commentList></comments>',
        'xl/threadedComments/t1.xml':
          '<ThreadedComments><threadedComment ref="B3" personId="{1}"><text>Yes.</text></threadedComment></ThreadedComments>',
        'xl/persons/person.xml': '<personList><person displayName="Bo" id="{1}"/></personList>',
      },
    );
    expect(await markdownOf('xlsx', file)).toBe(
      [
        '## S',
        '| Name | Site |\n| --- | --- |\n| [x\\|\\[y\\]](<https://other.example/a%7C(b>) | [B](https://other.example/b) |',
        '- B3 B · Bo: Yes.\n- A3 x|[y] · Ada: Is \\<this> right?',
      ].join('\n\n'),
    );
    expect((await read('xlsx', file, 'html')).text).toContain('<td><a href="https://other.example/b">B</a></td>');
  });

  test('XLSX: is rejected beyond a million cells, also when most are empty', { timeout: 120_000 }, async () => {
    const row = `<row>${'<c><v>1</v></c>'.repeat(1_000)}</row>`;
    await expect(read('xlsx', xlsx({ Big: row.repeat(1_001) }))).rejects.toMatchObject({ reason: 'parse_budget' });
    const diagonal = Array.from({ length: 2_000 }, (_, n) => `<row>${'<c/>'.repeat(n)}<c><v>1</v></c></row>`).join('');
    await expect(read('xlsx', xlsx({ Sparse: diagonal }))).rejects.toMatchObject({ reason: 'parse_budget' });
  });
});

test('PPTX: keeps slides in order with titles, lists, tables, links and notes', async () => {
  const table =
    '<a:tbl><a:tr><a:tc><a:p><a:r><a:t>K</a:t></a:r></a:p></a:tc></a:tr><a:tr><a:tc><a:p><a:r><a:t>V</a:t></a:r></a:p></a:tc></a:tr></a:tbl>';
  const file = pptx(
    [
      shape('ctrTitle', ['Hello &lt;all&gt;']) + shape('body', ['one', 'two']) + shape('sldNum', ['1']),
      `${shape('title', ['Second'])}<p:sp><a:p><a:r><a:rPr><a:hlinkClick r:id="l"/></a:rPr><a:t>site</a:t></a:r></a:p></p:sp>${table}`,
    ],
    {
      'ppt/slides/_rels/slide1.xml.rels': relations([
        ['l', 'hyperlink', 'https://other.example/', 'External'],
        ['n', 'notesSlide', '../notesSlides/n1.xml'],
      ]),
      'ppt/notesSlides/n1.xml': `<p:notes>${shape('body', ['Say this.'])}</p:notes>`,
    },
  );
  const { text, metadata } = await read('pptx', file);
  expect(text).toBe(
    '## Hello \\<all>\n\n- one\n- two\n\n## Second\n\n[site](https://other.example/)\n\n| K |\n| --- |\n| V |\n\n> Say this.',
  );
  expect(metadata).toMatchObject({ title: 'A talk', author: 'Ada Speaker', pageCount: 2 });
});

describe('drawings of PPTX', () => {
  const text = (value: string): string => `<a:p><a:r><a:t>${value}</a:t></a:r></a:p>`;
  const series = (name: string, ...values: string[]): string =>
    `<c:ser><c:tx><c:v>${name}</c:v></c:tx><c:cat>${['May', 'June'].map((month, at) => `<c:pt idx="${at}"><c:v>${month}</c:v></c:pt>`).join('')}</c:cat><c:val>${values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')}</c:val></c:ser>`;
  // The name of an element can be one of every object.
  const chart = `<c:chartSpace><c:chart><c:title>${text('Ships')}</c:title>${series('Cargo', '8.200000000000001', '2')}${series('Ferry', '3', '4')}<constructor><c:pt idx="0"><c:v>1</c:v></c:pt></constructor><c:catAx><c:title>${text('Month')}</c:title></c:catAx></c:chart></c:chartSpace>`;
  const point = (id: string, value: string, type = ''): string =>
    `<dgm:pt modelId="${id}" type="${type}"><dgm:t>${text(value)}</dgm:t></dgm:pt>`;
  const below = (from: string, to: string, order: number): string =>
    `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${order}"/>`;
  const diagram = `<dgm:dataModel>${point('0', '', 'doc')}${point('1', 'Sail')}${point('2', 'Arrive')}${point('3', 'Unload')}${below('0', '2', 0)}${below('0', '1', 1)}${below('2', '3', 0)}</dgm:dataModel>`;
  const inserted =
    '<p:graphicFrame><c:chart r:id="c"/></p:graphicFrame><p:graphicFrame><dgm:relIds r:dm="d"/></p:graphicFrame>';
  const picture = (description: string): string =>
    `<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture" descr="${description}"/></p:nvPicPr></p:pic>`;
  const others = {
    'ppt/slides/_rels/slide0.xml.rels': relations([
      ['c', 'chart', '../charts/c.xml'],
      ['d', 'diagramData', '../diagrams/d.xml'],
    ]),
    'ppt/charts/c.xml': chart,
    'ppt/diagrams/d.xml': diagram,
  };

  test('PPTX: writes charts as tables, diagrams as lists, and what pictures show', async () => {
    const slide = shape('title', ['Now']) + inserted + picture('A &amp; B') + picture('image1.png') + picture('');
    expect(await markdownOf('pptx', pptx([slide], others))).toBe(
      '## Now\n\nShips · Month\n\n|  | Cargo | Ferry |\n| --- | --- | --- |\n| May | 8.2 | 3 |\n| June | 2 | 4 |\n\n- Arrive\n  - Unload\n- Sail\n\nA & B',
    );
  });

  test('PPTX: writes the title first, and leaves out hidden slides', async () => {
    const hidden = `<p:sld show="0">${shape('title', ['HIDDEN'])}</p:sld>`;
    const file = pptx([shape('body', ['one', 'two']) + shape('title', ['Late title']), 'x'], {
      'ppt/slides/slide1.xml': hidden,
    });
    const { text, metadata } = await read('pptx', file);
    expect(text).toBe('## Late title\n\n- one\n- two');
    expect(metadata).toMatchObject({ pageCount: 1 });
  });

  test('XLSX: writes text boxes, and charts by their titles next to cells', async () => {
    const parts = (of: string): Record<string, string> => ({
      [`xl/worksheets/_rels/${of}.xml.rels`]: relations([['g', 'drawing', '../drawings/d.xml']]),
      'xl/drawings/d.xml': `<xdr:wsDr><xdr:sp><xdr:txBody>${text('A box')}</xdr:txBody></xdr:sp><c:chart r:id="c"/></xdr:wsDr>`,
      'xl/drawings/_rels/d.xml.rels': relations([['c', 'chart', '../charts/c.xml']]),
      'xl/charts/c.xml': chart,
    });
    const cells = '<row r="1"><c><v>1</v></c><c><v>2</v></c></row>';
    expect(await markdownOf('xlsx', xlsx({ S: cells }, parts('s0')))).toBe(
      '## S\n\n| 1 | 2 |\n| --- | --- |\n\nA box\n\nShips · Month · Cargo · Ferry',
    );
    expect(await markdownOf('xlsx', xlsx({ S: '' }, parts('s0')))).toContain('| June | 2 | 4 |');
  });
});

test('XLSX: parts tables at empty rows and columns, and keeps lists with gaps together', async () => {
  const cell = (reference: string, value: string): string => `<c r="${reference}" t="str"><v>${value}</v></c>`;
  const row = (number: number, columns: string): string =>
    `<row r="${number}">${Array.from(columns, (column) => cell(`${column}${number}`, `${column}${number}`)).join('')}</row>`;
  const tables = (...rows: string[]): Promise<string> => markdownOf('xlsx', xlsx({ S: rows.join('') }));
  expect(await tables(row(1, 'ABDE'), row(2, 'ABDE'), row(5, 'AB'), row(6, 'AB'))).toBe(
    '## S\n\n| A1 | B1 |\n| --- | --- |\n| A2 | B2 |\n\n| D1 | E1 |\n| --- | --- |\n| D2 | E2 |\n\n| A5 | B5 |\n| --- | --- |\n| A6 | B6 |',
  );
  expect(await tables(row(1, 'A'), row(3, 'AB'), row(4, 'AB'), row(9, 'A'))).toBe(
    '## S\n\n| A1 |  |\n| --- | --- |\n| A3 | B3 |\n| A4 | B4 |\n| A9 |  |',
  );
  expect(await tables(row(1, 'ACE'), row(2, 'ACE'))).toBe(
    '## S\n\n| A1 | C1 | E1 |\n| --- | --- | --- |\n| A2 | C2 | E2 |',
  );
});

test('PPTX: numbers and nests lists, and keeps text without bullets outside of them', async () => {
  const paragraph = (text: string, properties: string): string =>
    `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;
  const body = [
    paragraph('one', ''),
    paragraph('deeper', '<a:pPr lvl="1"/>'),
    paragraph('two', '<a:pPr lvl="0"/>'),
    paragraph('first', '<a:pPr lvl="1"><a:buAutoNum type="arabicPeriod"/></a:pPr>'),
    paragraph('no item', '<a:pPr><a:buNone/></a:pPr>'),
    paragraph('<m:oMath><m:r><m:t>α</m:t></m:r></m:oMath>', '<a:pPr><a:buNone/></a:pPr>').replace(
      /<a:r><a:t>|<\/a:t><\/a:r>/g,
      '',
    ),
  ];
  const file = pptx([
    `<p:sp><p:nvPr><p:ph/></p:nvPr><p:txBody>${body.join('')}</p:txBody></p:sp>` +
      `<p:sp><p:txBody>${paragraph('boxed', '<a:pPr><a:buChar char="-"/></a:pPr>')}</p:txBody></p:sp>`,
  ]);
  const { text } = await read('pptx', file);
  expect(text).toContain('- one\n  - deeper\n- two\n  1. first\n\nno item\n\n$\\alpha$');
  expect(text.endsWith('- boxed')).toBe(true);
});

describe('EPUB', () => {
  test('EPUB: keeps footnotes, and writes what a picture shows once', async () => {
    const file = epub([
      '<p>Said<a epub:type="noteref" href="#n1">1</a> and<a epub:type="noteref" href="notes.xhtml#n9">2</a>.</p><figure><img src="a.png" alt="A cat."/><figcaption>A cat, asleep</figcaption></figure>' +
        '<figure><img src="b.png" alt="A dog"/><figcaption>Our garden</figcaption></figure><aside epub:type="footnote" id="n1"><p>A note.<a href="#r1" class="footnote-back" role="doc-backlink">↩︎</a></p></aside>',
    ]);
    expect(await markdownOf('epub', file)).toBe(
      'Said[^1] and2.\n\nA cat, asleep\n\nA dog\n\nOur garden\n\n[^1]: A note.',
    );
  });

  test('EPUB: keeps chapters in order, and drops links into the book', async () => {
    const file = epub([
      '<h1><a id="top"/>One</h1><p>Text&nbsp;here<br/>and <a href="c1.xhtml">there</a>, <a href="https://other.example/">out</a>. <img src="x.png" alt="A picture"/></p>',
      '<h1>Two</h1><script>x()</script><p>End.</p>',
    ]);
    const { text, metadata } = await read('epub', file);
    expect(text).toBe(
      '# One\n\nText\u00a0here\\\nand there, [out](https://other.example/). A picture\n\n# Two\n\nEnd.',
    );
    expect(metadata).toMatchObject({ title: 'A book', author: 'Ada Teller, Bo Teller', language: 'en' });
  });

  test('EPUB: keeps the elements in code when it is written as HTML', async () => {
    const file = epub(['<pre>let <span class="k">x</span></pre>']);
    expect((await read('epub', file, 'html')).text).toBe('<pre>let <span>x</span></pre>');
    expect(await markdownOf('epub', file)).toBe('```\nlet x\n```');
  });

  test('EPUB and PPTX: are rejected as unreadable when locked or without chapters or slides', async () => {
    const locked = epub(['x'], { 'META-INF/encryption.xml': '<e><CipherReference URI="OEBPS/text/c 0.xhtml"/></e>' });
    await expect(read('epub', locked)).rejects.toMatchObject({ reason: 'unreadable_file' });
    await expect(read('epub', epub([]))).rejects.toMatchObject({ reason: 'unreadable_file' });
    await expect(read('pptx', pptx([]))).rejects.toMatchObject({ reason: 'unreadable_file' });
    await expect(read('epub', zip({ mimetype: 'x' }))).rejects.toMatchObject({ reason: 'unreadable_file' });
  });
});

describe('RTF', () => {
  test('RTF: is read with title and author', async () => {
    const { text, metadata } = await read('rtf', rtf);
    expect(text).toBe('First **bold** line: café, €5.\n\nSecond\\\nbroken');
    expect(metadata).toMatchObject({ title: 'A note', author: 'Ada Noter' });
  });

  // As Word writes it: a style sheet, list texts, the table's definition twice.
  const word = String.raw`{\rtf1\ansi{\stylesheet{\ql Normal;}{\s2\outlinelevel1 heading 2;}{\s9 Title;}{\*\cs10 \additive Default;}}
{\info{\author Ada}}\pard\plain\s9\b All of it\par\pard\plain\s2 {\b Part} one\par
\pard\plain Some {\i slanted}, {\b\strike old} and H{\sub 2}O{\v hidden}{\deleted gone}, {\field{\*\fldinst{HYPERLINK "https://other.example/?a=1&b=2" \\o "x"}}{\fldrslt{\ul a link}}}.{\super\chftn{\footnote\pard\plain {\super\chftn} A {\b note}.\par Its end.}}\par
{\listtext\pard\plain\f3\'b7\tab}\pard\ls1\ilvl0 one\par{\listtext o\tab}\pard\ls1\ilvl1 deeper\par{\listtext\'b7\tab}\pard\ls1 two\par
{\pntext 1.\tab}\pard{\*\pn\pnlvlbody}first\par{\pntext 2.\tab}second\par
\pard\trowd\cellx1\cellx2\pard\intbl Name\cell Age\cell\trowd\cellx1\cellx2\row\trowd\pard\intbl Ada\par Bo\cell\cell\row
\pard{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt In a box.\par}}{\shprslt In a box.}}After.{\xe After}\par}`;

  test('RTF: keeps headings, emphasis, links, notes, lists, tables and text boxes', async () => {
    const { text, metadata } = await read('rtf', word);
    expect(text).toBe(
      [
        '# All of it',
        '## Part one',
        'Some *slanted*, **~~old~~** and H₂O, [a link](https://other.example/?a=1&b=2).[^1]',
        '- one\n  - deeper\n- two',
        '1. first\n2. second',
        '| Name | Age |\n| --- | --- |\n| Ada<br>Bo |  |',
        'In a box.',
        'After.',
        '[^1]: A **note**.\n\n    Its end.',
      ].join('\n\n'),
    );
    expect(metadata).toMatchObject({ title: 'All of it', author: 'Ada' });
  });

  test('RTF: recognizes lists by bullets and indents', async () => {
    const item = (marker: string, indent: number, text: string): string =>
      String.raw`{\pard \li${indent} \fi-360 ${marker}\tx360\tab ${text}\par}`;
    const lists = [
      item(String.raw`\bullet `, 360, 'one'),
      item(String.raw`\endash `, 720, 'deeper'),
      item(String.raw`\bullet `, 360, 'two'),
      String.raw`{\pard\fi-360 Not\tab one.\par}`,
      item('(a)', 360, 'first'),
    ];
    expect((await read('rtf', String.raw`{\rtf1 ${lists.join('\n')}}`)).text).toBe(
      '- one\n  - deeper\n- two\n\nNot one.\n\n1. first',
    );
  });

  test('RTF: keeps the text around an unknown word, and that before a note that nothing ends', async () => {
    const file = String.raw`{\rtf1 One\constructor  and\tostring  two.{\footnote A note`;
    expect(await markdownOf('rtf', file)).toBe('One and two.[^1]\n\n[^1]: A note');
  });

  test('RTF: is rejected when it is nested 100,000 deep, truncated or no RTF', async () => {
    await expect(read('rtf', `{\\rtf1 ${'{'.repeat(100_000)}`)).rejects.toMatchObject({ reason: 'parse_budget' });
    await expect(read('rtf', 'Hello')).rejects.toMatchObject({ reason: 'unreadable_file' });
    const cutOff = String.raw`{\rtf1\ansi{\fonttbl{\f0 Arial`;
    await expect(read('rtf', cutOff)).rejects.toMatchObject({ reason: 'unreadable_file' });
  });
});

describe('CSV', () => {
  test.each<[string, string, string]>([
    [
      'commas and quotes',
      'a,"b ""x"", y"\r\n1,"two\nlines"\r\n',
      '| a | b "x", y |\n| --- | --- |\n| 1 | two<br>lines |',
    ],
    ['semicolons', '\ufeffa;b,c\n1;2', '| a | b,c |\n| --- | --- |\n| 1 | 2 |'],
    [
      'tabs and rows of different lengths',
      'a\tb\n1\n\n1\t2\t3',
      '| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 1 | 2 | 3 |',
    ],
    ['cells like Markdown', 'a|b,*x*\n<b>,snake_case', '| a\\|b | \\*x\\* |\n| --- | --- |\n| \\<b> | snake_case |'],
    ['a stated delimiter', 'sep=;\na;b,c,d\n1;"2,5"', '| a | b,c,d |\n| --- | --- |\n| 1 | 2,5 |'],
    ['an unclosed quote', 'a,"b', '| a | b |\n| --- | --- |'],
  ])('CSV: reads %s', async (_, text, table) => {
    expect(await markdownOf('csv', text)).toBe(table);
  });

  test.each<[OutputFormat, string]>([
    ['markdown', '<br>'],
    ['html', '<br>'],
    ['text', ' '],
  ])('CSV: keeps each line of a cell of 60,000 lines as %s', async (format, between) => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `line  ${index}\t`);
    const { text } = await read('csv', `head\n"${lines.join('\n \n')}\n"`, format);
    expect(text).toContain(lines.map((line) => line.trim().replace('  ', ' ')).join(between));
  });

  test('CSV: is rejected beyond a million cells', async () => {
    await expect(read('csv', '1,2\n'.repeat(500_001))).rejects.toMatchObject({ reason: 'parse_budget' });
    expect((await read('csv', '1,2\n'.repeat(500_000))).metadata['wordCount']).toBe(1_000_000);
  });
});

describe('the first bytes of a file', () => {
  const letter = docx({ body: wordParagraph('A letter.') });
  const old = (stream: string): Uint8Array =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), new Uint8Array(600), Buffer.from(`${stream}\0`, 'utf16le')]);
  test.each<[string, DocumentKind, Uint8Array | string, string]>([
    ['a letter announced as PDF', 'pdf', letter, 'A letter.'],
    ['a letter announced as a sheet', 'xlsx', letter, 'A letter.'],
    ['a letter announced as text', 'text', letter, 'A letter.'],
    ['RTF announced as Word', 'ole', rtf, 'First **bold** line'],
    [
      'a table in HTML announced as Excel',
      'ole',
      '\ufeff<html><table><tr><th>a<th>b<tr><td>1<td>2</table>',
      '| 1 | 2 |',
    ],
    ['an EPUB announced as an archive', 'unknown', epub(['<p>Chapter</p>']), 'Chapter'],
    ['a PDF after rubbish', 'unknown', Buffer.concat([utf8('\n\n  '), pdf([['Later.']])]), 'Later.'],
    ['a text about PDF', 'text', 'A PDF begins with %PDF-1.7', 'A PDF begins with %PDF-1.7'],
  ])('readDocument: reads %s', async (_, kind, file, expected) => {
    expect(await markdownOf(kind, file)).toContain(expected);
  });

  test.each<[string, RegExp]>([
    ['EncryptedPackage', /password/],
    ['WordDocument', /Word before 2007. Convert it to DOCX/],
    ['Workbook', /Excel before 2007. Convert it to XLSX/],
    ['PowerPoint Document', /PowerPoint before 2007. Convert it to PPTX/],
  ])('readDocument: says what to do with a file of old Office that has the stream %s', async (stream, message) => {
    for (const kind of ['docx', 'ole', 'unknown'] as const)
      await expect(read(kind, old(stream))).rejects.toMatchObject({
        reason: 'unreadable_file',
        message: expect.stringMatching(message),
      });
  });

  test('readDocument: returns nothing for an archive and for bytes of unknown kind', async () => {
    for (const bytes of [zip({ 'a.txt': 'a' }), utf8('MZ')])
      expect(await readDocument('unknown', { bytes, contentType: '' })).toBeUndefined();
  });
});

describe('text', () => {
  test('text: keeps its content and is decoded by its charset', async () => {
    const text = 'Line *one*\n  line two <b>';
    expect((await read('text', text)).text).toBe(text);
    expect((await read('text', text, 'html')).text).toBe('<pre>Line *one*\n  line two &lt;b&gt;</pre>');
    const latin = Uint8Array.of(0x63, 0x61, 0x66, 0xe9);
    expect((await read('text', latin, 'text', 'text/plain; charset=iso-8859-1')).text).toBe('café');
    expect((await read('text', latin)).text).toBe('café');
    const russian = encodeText('windows-1251', 'Новости сегодня и расписание поездов');
    expect((await read('text', russian)).text).toBe('Новости сегодня и расписание поездов');
    const feed = encodeText(
      'windows-1251',
      '<rss><channel><title>Новости сегодня и расписание поездов</title></channel></rss>',
    );
    expect((await read('xml', feed)).text).toContain('Новости сегодня');
  });

  test('JSON: is written as a code block with a fence that it does not contain', async () => {
    expect(await markdownOf('json', '{"a": "```"}')).toBe('````json\n{"a": "```"}\n````');
    expect((await read('json', '{"a": 1}', 'text')).text).toBe('{"a": 1}');
    expect((await read('json', '["<"]', 'html')).text).toBe('<pre><code class="language-json">["&lt;"]</code></pre>');
  });
});

describe('XML', () => {
  test('RSS: is written as a list of entries with links', async () => {
    const { text, metadata } = await read(
      'xml',
      '<?xml version="1.0"?><rss><channel><title>News</title><link>http://site.example/</link><description>All &amp;#8211; of&amp;nbsp;it</description><image><title>Logo</title></image>' +
        '<item><title>First &amp; last</title><link>/a</link><pubDate>Fri, 02 Jan 2026</pubDate><description><![CDATA[<p>Some <b>text</p>]]></description></item>' +
        '<item><title>Next</title><link>http://site.example/b</link></item></channel></rss>',
    );
    expect(text).toBe(
      '# News\n\nAll – of\u00a0it\n\n## [First & last](http://site.example/a)\n\nFri, 02 Jan 2026\n\nSome **text**\n\n## [Next](http://site.example/b)',
    );
    expect(metadata).toMatchObject({ title: 'News', description: 'All – of it' });
  });

  test('Atom: is written as a list of entries with links', async () => {
    const { text, metadata } = await read(
      'xml',
      '<feed xmlns="a"><title>Notes</title><author><name>Ada</name></author><link rel="self" href="/feed"/><entry><title>One</title><link rel="edit" href="/e"/><link href="/one"/><updated>2026-01-02</updated><content type="html">&lt;p&gt;Hi&lt;/p&gt;</content></entry>' +
        '<entry><title>Two</title><summary>1 &lt; 2</summary></entry></feed>',
    );
    expect(text).toBe(
      '# Notes\n\n## [One](http://site.example/one)\n\n2026-01-02\n\nHi\n\n## Two\n\n1 \\< 2'.replace('\\<', '<'),
    );
    expect(metadata).toMatchObject({ title: 'Notes', author: 'Ada' });
  });

  test('XML: is read as its text, and a sitemap as no document', async () => {
    expect(await markdownOf('xml', '<a><b>One</b> <b>Two <i>and</i></b></a>')).toBe('One\nTwo\nand');
    const sitemap = { bytes: utf8('<?xml version="1.0"?><!-- <a> --><urlset/>'), contentType: 'text/xml' };
    expect(await readDocument('xml', sitemap)).toBeUndefined();
  });

  test('XML: is rejected when it is nested 100,000 deep, and entities are not expanded', async () => {
    await expect(read('xml', '<a>'.repeat(100_000))).rejects.toMatchObject({ reason: 'parse_budget' });
    expect(await markdownOf('xml', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')).toBe('&x;');
  });
});
