import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { encodeText } from '../../../test/encode-text.ts';
import { drawnPdf, type DrawnPage, type DrawnTag, type DrawnText, linesAt } from '../../../test/files/make-pdf.ts';
import { convertDocument } from '../../extract/convert-document.ts';
import { readPdf } from './pdf.ts';

/** Six lines of 24 words or so, the last of them short. */
const prose = (word: string): string[] => [
  ...Array.from({ length: 5 }, (_, index) => `the ${word} that is line ${index} of a paragraph runs on`),
  `until ${word} ends here.`,
];
const paragraph = (word: string): string => prose(word).join(' ');

async function markdownOf(bytes: Uint8Array): Promise<string> {
  const document = await readPdf({ bytes, contentType: 'application/pdf' });
  return convertDocument(document, { url: 'http://site.example/x.pdf', outputFormat: 'markdown' }).text;
}

describe('text in fonts outside of the file', () => {
  test.each<[string, string, string, string, string]>([
    ['Japanese', '90ms-RKSJ-H', 'Japan1', 'shift_jis', '吾輩は猫である'],
    ['simplified Chinese', 'GBK-EUC-H', 'GB1', 'gbk', '欢迎使用本系统'],
    ['traditional Chinese', 'ETen-B5-H', 'CNS1', 'big5', '歡迎使用本系統'],
    ['Korean', 'KSCms-UHC-H', 'Korea1', 'euc-kr', '안녕하세요'],
    ['vertical Japanese', '90ms-RKSJ-V', 'Japan1', 'shift_jis', '名前はまだ無い'],
  ])('readPdf: reads text in fonts outside of the file: %s', async (_, cmap, ordering, encoding, text) => {
    const file = drawnPdf([{ texts: [{ x: 72, y: 700, text: encodeText(encoding, text), font: 'predefined' }] }], {
      predefined: [cmap, ordering],
    });
    expect(await markdownOf(file)).toBe(text);
    // The maps stay loaded: a second file needs them, too.
    expect(await markdownOf(file)).toBe(text);
  });
});

test('readPdf: writes a replacement character for glyphs without letters', async () => {
  const texts = [
    { x: 72, y: 700, text: 'AbC\u0003D', font: 'capitals' as const },
    { x: 72, y: 600, text: 'only glyphs', font: 'capitals' as const },
  ];
  expect(await markdownOf(drawnPdf([{ texts }]))).toBe('A\ufffdC D');
});

test('readPdf: counts glyphs without letters and warns', async () => {
  const texts = [
    { x: 72, y: 700, text: 'AbC', font: 'capitals' as const },
    { x: 72, y: 600, text: 'four', font: 'capitals' as const },
  ];
  const warning = { warning: 'unreadable_text' };
  const some = await readPdf({ bytes: drawnPdf([{ texts }]), contentType: '' });
  expect(some.metadata).toMatchObject({ unreadableCharacters: 5, ...warning });
  const all = await readPdf({ bytes: drawnPdf([{ texts: texts.slice(1) }]), contentType: '' });
  expect(all).toMatchObject({ blocks: [], metadata: { unreadableCharacters: 4, ...warning } });
});

test('readPdf: reads Hebrew and Arabic from the right, with numbers and Latin words as they are', async () => {
  // Drawn as programs do: glyphs from left to right, here in pieces of several fonts, with mirrored brackets.
  const backwards = (text: string): string => Array.from(text).toReversed().join('');
  const texts: DrawnText[] = [
    { x: 72, y: 700, text: backwards('בסוף('), font: 'narrow' },
    { x: 100, y: 700, text: 'word 42' },
    { x: 140, y: 700, text: backwards(')שלום'), font: 'narrow' },
    { x: 72, y: 660, text: '\ufedb\ufe92\ufe91', font: 'narrow' },
  ];
  expect(await markdownOf(drawnPdf([{ texts }]))).toBe('(שלום word 42 בסוף)\n\nببك');
});

test('readPdf: joins Chinese or Japanese lines without a space', async () => {
  const lines = linesAt(72, 700, ['第一行文字很长需要', '换行所以这里继续'], { font: 'wide' });
  expect(await markdownOf(drawnPdf([{ texts: lines }]))).toBe('第一行文字很长需要换行所以这里继续');
});

describe('columns', () => {
  test('readPdf: reads columns one after the other, and continues a paragraph in the next one', async () => {
    const [first, second] = [prose('one').slice(0, 5), ['and it still does at the top of the second one.', '']];
    const texts = [
      { x: 72, y: 740, text: 'A title over both of the columns of this page', size: 20 },
      ...linesAt(72, 700, first),
      ...linesAt(320, 700, second.slice(0, 1)),
      ...linesAt(320, 670, prose('two')),
    ];
    expect(await markdownOf(drawnPdf([{ texts }]))).toBe(
      `# A title over both of the columns of this page\n\n${first.join(' ')} ${second[0]}\n\n${paragraph('two')}`,
    );
  });

  test('readPdf: reads columns one after the other when they are drawn line by line', async () => {
    const [left, right] = [prose('one'), prose('two')];
    const texts = left.flatMap((text, index) => [
      { x: 72, y: 700 - index * 12, text },
      { x: 330, y: 700 - index * 12, text: right[index] ?? '' },
    ]);
    expect(await markdownOf(drawnPdf([{ texts }]))).toBe(`${paragraph('one')}\n\n${paragraph('two')}`);
  });
});

test('readPdf: continues a paragraph on the next page around footnotes, and joins hyphenated words', async () => {
  const pages: DrawnPage[] = [
    {
      texts: [
        ...linesAt(72, 700, ['A first paragraph that is on this page alone.']),
        ...linesAt(72, 660, ['The second one is long enough for a line, and it is con-']),
        ...linesAt(72, 100, ['1 A note, in smaller letters.'], { size: 8 }),
      ],
    },
    { texts: [...linesAt(72, 700, ['tinued on the next page.']), ...linesAt(72, 660, ['A third one.'])] },
  ];
  expect(await markdownOf(drawnPdf(pages))).toBe(
    'A first paragraph that is on this page alone.\n\nThe second one is long enough for a line, and it is continued on the next page.\n\n1 A note, in smaller letters.\n\nA third one.',
  );
});

describe('hyphen at the end of a line', () => {
  const joined = async (...lines: readonly string[]): Promise<string> =>
    await markdownOf(drawnPdf([{ texts: linesAt(72, 700, lines) }]));

  test('readPdf: removes or keeps a hyphen at a line end as elsewhere in the file', async () => {
    expect(await joined('Some rules are well-known, and others of them are less well-', 'known than any.')).toBe(
      'Some rules are well-known, and others of them are less well-known than any.',
    );
    expect(await joined('A handbook lies here, and another hand-', 'book there.')).toBe(
      'A handbook lies here, and another handbook there.',
    );
    expect(await joined('LaTeX is here, and again La-', 'TeX there.')).toBe('LaTeX is here, and again LaTeX there.');
    expect(await joined('It is con-', 'tinued there.')).toBe('It is continued there.');
  });

  test.each([
    ['of a compound of several words', 'This is the state-of-the-', 'art in all of it.', 'state-of-the-art in'],
    ['of a compound that continues', 'This is the state-', 'of-the-art in all of it.', 'state-of-the-art in'],
    ['before a capital in a word known in small letters', 'Who is wh-', 'Other in all of it.', 'wh-Other in'],
    ['before a capital', 'This is Anglo-', 'Saxon in all of it.', 'Anglo-Saxon in'],
    ['after a number', 'This is a 3-', 'dimensional one of all.', '3-dimensional one'],
    ['between numbers', 'This was 1990-', '1995 in all of it.', '1990-1995 in'],
    [
      'within an address',
      'It is at https://a.example/rulings-of-',
      'courts/index.html for a year.',
      '/rulings-of-courts/index.html for',
    ],
    ['of a compound of a word of the file', 'The floor is a low-', 'floor of all.', 'a low-floor of'],
    ['before a conjunction', 'This was a pre-', 'and a postwar thing of all.', 'pre- and a postwar'],
  ])('readPdf: keeps a hyphen at a line end %s', async (_, first, second, expected) => {
    expect(await joined(first, second)).toContain(expected);
  });

  test('readPdf: reads a drawn soft hyphen as a hyphen at a line end', async () => {
    const texts = linesAt(72, 700, ['Ветер: юго\u00ad', 'Запад, а по\u00ad', 'том север.'], { font: 'narrow' });
    expect(await markdownOf(drawnPdf([{ texts }]))).toBe('Ветер: юго-Запад, а потом север.');
  });

  test('readPdf: removes a hyphen at a line end in a word of capitals', async () => {
    expect(await joined('MORE INFOR-', 'MATION THERE')).toBe('MORE INFORMATION THERE');
  });
});

test('readPdf: joins an address that is parted without a hyphen', async () => {
  const texts = linesAt(72, 700, ['It is at https://a.example/a-long-path/and-so-o', 'n/index.html for a year of it.']);
  expect(await markdownOf(drawnPdf([{ texts }]))).toContain('https://a.example/a-long-path/and-so-on/index.html for a');
  const whole = linesAt(72, 700, ['It is the text that is at https://a.example/path', 'for one whole year or two.']);
  expect(await markdownOf(drawnPdf([{ texts: whole }]))).toContain('https://a.example/path for one');
});

test('readPdf: writes once what is drawn twice for bold, and repeated letters as often as they stand', async () => {
  const at = (x: number, text: string): DrawnText => ({ x, y: 700, text });
  expect(await markdownOf(drawnPdf([{ texts: [at(72, 'Bold'), at(72.4, 'Bold'), at(100, 'Bold')] }]))).toBe(
    'Bold Bold',
  );
  expect(
    await markdownOf(
      drawnPdf([
        {
          texts: ['W', 'i', 'l', 'l'].map((letter, at) => ({
            x: 72 + [0, 9.4, 11.7, 13.9][at]!,
            y: 700,
            text: letter,
          })),
        },
      ]),
    ),
  ).toBe('Will');
});

test('readPdf: keeps an exponent that is raised by half an em in its line', async () => {
  const texts = [
    { x: 72, y: 700, text: 'A flat of 20 m', size: 12 },
    { x: 142.8, y: 706, text: '2', size: 7 },
    { x: 150, y: 700, text: 'is let.', size: 12 },
  ];
  expect(await markdownOf(drawnPdf([{ texts }]))).toBe('A flat of 20 m² is let.');
});

test('readPdf: keeps values of fields and a mark across the page, and warns of a scanned page', async () => {
  const bytes = readFileSync(new URL('../../../test/facts/files/hand-hard.pdf', import.meta.url));
  const { metadata } = await readPdf({ bytes, contentType: '' });
  expect(metadata).toMatchObject({ warning: 'no_text_layer', pageCount: 3 });
  const text = await markdownOf(bytes);
  expect(text).toContain('The applicant is named below.\n\nGrace Tenant');
  expect(text).toContain('\n\nWATERMARKED\n\n');
});

test('readPdf: does not warn of an empty page', async () => {
  const empty = drawnPdf([{ texts: linesAt(72, 700, prose('one')) }, { texts: [] }]);
  expect((await readPdf({ bytes: empty, contentType: '' })).metadata).not.toHaveProperty('warning');
});

test('readPdf: reads a note of two lines as one paragraph, with its first line indented or not', async () => {
  const note = (y: number, indent: number): DrawnText[] => [
    { x: 72 + indent, y, text: '1 A note that is long enough for the whole of its line, up to', size: 8 },
    { x: 72, y: y - 10, text: 'the edge, and goes on below.', size: 8 },
  ];
  const pages = [{ texts: [...linesAt(72, 700, prose('one')), ...note(200, 12), ...note(100, -12)] }];
  const text = '1 A note that is long enough for the whole of its line, up to the edge, and goes on below.';
  expect(await markdownOf(drawnPdf(pages))).toBe(`${paragraph('one')}\n\n${text}\n\n${text}`);
});

test('readPdf: splits two lines when the first ends a sentence and the second begins elsewhere', async () => {
  const texts = [
    { x: 72, y: 700, text: 'A sentence that is as long as the line below it.' },
    { x: 54, y: 688, text: '16 Another that is long enough for it.' },
  ];
  expect(await markdownOf(drawnPdf([{ texts }]))).toContain('below it.\n\n16 Another');
});

describe('headers, footers and page numbers', () => {
  const page = (index: number, more: readonly DrawnText[] = []): DrawnPage => ({
    texts: [
      { x: 72, y: 760, text: 'The Journal' },
      { x: 500, y: 760, text: `Page ${index + 7} of 12` },
      ...linesAt(72, 700, [`Text of page ${['one', 'two', 'three', 'four'][index]}.`]),
      ...more,
      { x: 300, y: 40, text: ['iv', 'v', 'vi', 'vii'][index] ?? '' },
    ],
  });

  test('readPdf: drops headers, footers and page numbers that three pages have', async () => {
    const text = await markdownOf(drawnPdf([0, 1, 2, 3].map((index) => page(index))));
    expect(text).toBe(
      'Text of page one.\n\n---\n\nText of page two.\n\n---\n\nText of page three.\n\n---\n\nText of page four.',
    );
  });

  test('readPdf: keeps a header that two pages have', async () => {
    expect(await markdownOf(drawnPdf([0, 1].map((index) => page(index))))).toContain('The Journal');
  });

  test('readPdf: keeps the cells of a table that continues over pages', async () => {
    const rows = (index: number): DrawnText[] =>
      Array.from({ length: 4 }, (_, row) => [
        { x: 72, y: 720 - row * 14, text: `Item ${index * index}${row}` },
        { x: 300, y: 720 - row * 14, text: `${((index * 7 + row * 3) % 10) + 10}` },
      ]).flat();
    const text = await markdownOf(drawnPdf([0, 1, 2, 3].map((index) => ({ texts: rows(index) }))));
    expect(text.match(/^\| Item \d+ \| \d+ \|$/gm)).toHaveLength(16);
  });

  test('readPdf: keeps a repeated heading on its first page', async () => {
    const heading = { x: 72, y: 760, text: 'Conclusions', size: 20 };
    const pages = [0, 1, 2, 3].map((index) => ({
      texts: [heading, ...linesAt(72, 600, [`Slide ${['a', 'b', 'c', 'd'][index]}`])],
    }));
    expect((await markdownOf(drawnPdf(pages))).match(/Conclusions/g)).toHaveLength(1);
  });
});

describe('tables', () => {
  const rows = [
    ['Name', 'Amount', 'Price'],
    ['Bread', '2', '3.50'],
    ['Apples and pears', '10', '1.20'],
    ['Milk', '1', '0.99'],
  ];
  const markdown =
    '| Name | Amount | Price |\n| --- | --- | --- |\n| Bread | 2 | 3.50 |\n| Apples and pears | 10 | 1.20 |\n| Milk | 1 | 0.99 |';
  const cells = (list: readonly (readonly string[])[], y = 660): DrawnText[] =>
    list.flatMap((row, index) => row.map((text, column) => ({ x: 72 + column * 150, y: y - index * 14, text })));

  test('readPdf: reads rows with cells in columns as a table', async () => {
    const texts = [...linesAt(72, 700, ['Before it.']), ...cells(rows), ...linesAt(72, 580, ['After it.'])];
    expect(await markdownOf(drawnPdf([{ texts }]))).toBe(`Before it.\n\n${markdown}\n\nAfter it.`);
  });

  test('readPdf: reads a table cell of two lines', async () => {
    const texts = [
      ...cells(rows.slice(0, 2)),
      ...linesAt(72, 630, ['Apples and', 'pears']),
      ...linesAt(222, 630, ['10']),
      ...linesAt(372, 630, ['1.20']),
      ...cells(rows.slice(3), 600),
    ];
    expect(await markdownOf(drawnPdf([{ texts }]))).toBe(markdown);
  });

  test('readPdf: joins words that are split at a line end in a cell', async () => {
    const texts = [
      ...cells(rows.slice(0, 2)),
      ...linesAt(72, 630, ['Apples, ber-', 'ries']),
      ...linesAt(222, 630, ['第一行', '第二行'], { font: 'wide' }),
      ...linesAt(372, 630, ['https:', '//a.example/']),
      ...cells(rows.slice(3), 600),
    ];
    expect(await markdownOf(drawnPdf([{ texts }]))).toContain(
      '| Apples, berries | 第一行第二行 | https://a.example/ |',
    );
  });

  test('readPdf: reads two rows as lines, not as a table', async () => {
    expect(await markdownOf(drawnPdf([{ texts: cells(rows.slice(0, 2)) }]))).not.toContain('|');
  });
});

test('readPdf: keeps marks above and below a letter in its line', async () => {
  const texts: DrawnText[] = [
    { x: 72, y: 720, text: 'Let x' },
    { x: 94, y: 724, text: '2', size: 7 },
    { x: 94, y: 717, text: '0', size: 7 },
    { x: 101, y: 720, text: 'be small.' },
    ...linesAt(72, 708, ['The next line is no mark.']),
  ];
  expect(await markdownOf(drawnPdf([{ texts }]))).toBe('Let x²0 be small.\n\nThe next line is no mark.');
});

test('readPdf: keeps the lines and indentation of code, and inline code in its sentence', async () => {
  const texts: DrawnText[] = [
    { x: 72, y: 720, text: 'Call' },
    { x: 96, y: 720, text: 'main(x)', font: 'code' },
    { x: 142, y: 720, text: 'first.' },
    ...linesAt(72, 690, ['if (x) {', '  return    1;', '}'], { font: 'code' }),
  ];
  expect(await markdownOf(drawnPdf([{ texts }]))).toBe(
    'Call `main(x)` first.\n\n```\nif (x) {\n  return    1;\n}\n```',
  );
});

test('readPdf: takes links from annotations, and none that run scripts', async () => {
  const texts = [{ x: 72, y: 700, text: 'See the manual for more.' }];
  const links = [
    { box: [91, 697, 143, 710], url: 'https://other.example/m' },
    { box: [91, 697, 143, 710], url: 'javascript:alert(1)' },
  ] as const;
  expect(await markdownOf(drawnPdf([{ texts, links }]))).toBe('See [the manual](https://other.example/m) for more.');
});

test('readPdf: joins an address in code that is split at a line end, and not commands', async () => {
  const texts = ['https://other.', 'example/m/', 'the-rest'].flatMap((text, index): DrawnText[] => [
    { x: 72, y: 700 - index * 30, text: `Row ${index}` },
    { x: 200, y: 700 - index * 30, text: 'make install', font: 'code' },
    { x: 200, y: 690 - index * 30, text: '-j 2', font: 'code' },
    { x: 400, y: 700 - index * 30, text: '/usr/share/', font: 'code' },
    { x: 400, y: 690 - index * 30, text, font: 'code' },
  ]);
  expect(await markdownOf(drawnPdf([{ texts }]))).toContain(
    '| Row 1 | `make install -j 2` | `/usr/share/example/m/` |\n| Row 2 | `make install -j 2` | `/usr/share/the-rest` |',
  );
});

test('readPdf: joins an address that is split at a line end when its link has no space there', async () => {
  const texts = linesAt(72, 700, ['Read all of it at https://other.example/m/', 'the-rest.html or ask.']);
  const url = 'https://other.example/m/the-rest.html';
  const links = [
    { box: [149, 697, 269, 710], url },
    { box: [72, 685, 130, 698], url },
  ] as const;
  expect(await markdownOf(drawnPdf([{ texts, links }]))).toBe(`Read all of it at <${url}> or ask.`);
  expect(await markdownOf(drawnPdf([{ texts }]))).toContain('m/ the-rest.html');
});

test('readPdf: takes headings and their levels from the outline', async () => {
  const texts = [
    { x: 72, y: 720, text: 'Basics' },
    ...linesAt(72, 690, prose('this')),
    { x: 72, y: 600, text: '1.1 More of them', font: 'bold' as const },
    ...linesAt(72, 570, ['Basics are in a sentence here.']),
  ];
  const outline = [{ title: 'Basics', entries: [{ title: 'More of them' }] }];
  expect(await markdownOf(drawnPdf([{ texts }], { outline }))).toBe(
    `# Basics\n\n${paragraph('this')}\n\n## 1.1 More of them\n\nBasics are in a sentence here.`,
  );
});

test('readPdf: drops the leaders of a table of contents', async () => {
  const lines = [
    '1 Start . . . . . . . . . . . . . . 3',
    '1.1 More of it ................. 14',
    '1.2 A title that nearly fills its line . . . 26',
    '2 End. . . . . . . . . . 200',
  ];
  expect(await markdownOf(drawnPdf([{ texts: linesAt(72, 700, lines) }]))).toBe(
    '- 1 Start 3\n- 1.1 More of it 14\n- 1.2 A title that nearly fills its line 26\n- 2 End 200',
  );
  const series = 'The values of it are 1, 2, . . . , 9, 10, or 1, 2, ..., 12';
  expect(await markdownOf(drawnPdf([{ texts: linesAt(72, 700, [series]) }]))).toBe(series);
});

test('readPdf: keeps list numbers and nested items', async () => {
  const texts = [
    ...linesAt(72, 700, ['1.', '2.', '3.']).flatMap((mark, index) => [
      mark,
      { ...mark, x: 90, text: `step ${['a', 'b', 'c'][index]}` },
    ]),
    ...linesAt(72, 640, ['- one']),
    ...linesAt(90, 628, ['- inner']),
    ...linesAt(72, 616, ['- two']),
  ];
  expect(await markdownOf(drawnPdf([{ texts }]))).toBe('1. step a\n2. step b\n3. step c\n\n- one\n  - inner\n- two');
});

test('readPdf: warns that a scanned file has no text', async () => {
  const document = await readPdf({ bytes: drawnPdf([{ texts: [] }, { texts: [] }]), contentType: 'application/pdf' });
  expect(document).toMatchObject({ blocks: [], metadata: { warning: 'no_text_layer', pageCount: 2 } });
});

describe('tags', () => {
  const marked = (texts: readonly DrawnText[]): DrawnText[] => texts.map((text, mark) => ({ ...text, mark }));
  const tagged = async (texts: readonly DrawnText[], tags: readonly DrawnTag[]): Promise<string> =>
    await markdownOf(drawnPdf([{ texts: marked(texts) }], { tags }));

  test('readPdf: takes the levels of headings from tags', async () => {
    const tags = [
      { role: 'H2', kids: [0] },
      { role: 'H3', kids: [1] },
      { role: 'P', kids: [2] },
    ];
    expect(await tagged(linesAt(72, 700, ['Basics', 'More', 'Text of them.']), tags)).toBe(
      '## Basics\n\n### More\n\nText of them.',
    );
  });

  test('readPdf: writes bullets for tagged list items whose bullets are drawings', async () => {
    const texts = [
      ...linesAt(72, 700, ['one that goes on in the second', 'line', 'two']),
      ...linesAt(90, 664, ['inner']),
      ...linesAt(72, 652, ['1. number']),
    ];
    const item = (...kids: (DrawnTag | number)[]): DrawnTag => ({ role: 'LI', kids });
    const inner = { role: 'L', kids: [item(3)] };
    const tags = [{ role: 'L', kids: [item(0, 1), item({ role: 'LBody', kids: [2] }, inner)] }, item(4)];
    expect(await tagged(texts, tags)).toBe('- one that goes on in the second line\n- two\n  - inner\n\n1. number');
  });

  test('readPdf: writes a table for tagged cells at any distance', async () => {
    const row = (y: number, ...texts: readonly string[]): DrawnText[] =>
      texts.map((text, column) => ({ x: 72 + column * 30, y, text }));
    const texts = [
      ...row(700, 'Year', 'Sum', 'Note'),
      ...row(688, '2021', '120', 'fine'),
      { x: 132, y: 676, text: 'x' },
    ];
    const cell = (...kids: number[]): DrawnTag => ({ role: 'TD', kids });
    const tags = [
      {
        role: 'Table',
        kids: [[0, 1, 2], [3, 4, 5], [6]].map((kids) => ({ role: 'TR', kids: kids.map((kid) => cell(kid)) })),
      },
    ];
    expect(await tagged(texts, tags)).toBe(
      '| Year | Sum | Note |\n| --- | --- | --- |\n| 2021 | 120 | fine |\n|  |  | x |',
    );
  });

  test('readPdf: writes no table for tags of a layout', async () => {
    const texts = linesAt(72, 700, [...prose('one'), ...prose('two')]);
    const tags = [
      { role: 'Table', kids: [{ role: 'TR', kids: [{ role: 'TD', kids: texts.map((_, mark) => mark) }] }] },
    ];
    expect(await tagged(texts, tags)).toBe(`${paragraph('one')}\n\n${paragraph('two')}`);
  });

  test.each([
    ['a tree without an end', '/StructTreeRoot 1 0 R'],
    ['no tree', '/StructTreeRoot 99 0 R'],
  ])('readPdf: ignores tags of %s', async (_, entry) => {
    const text = Buffer.from(drawnPdf([{ texts: marked(linesAt(72, 700, ['Text.'])) }])).toString('latin1');
    const file = text.replace('/Type /Catalog', `/Type /Catalog /MarkInfo << /Marked true >> ${entry}`);
    expect(await markdownOf(Buffer.from(file, 'latin1'))).toBe('Text.');
  });
});
