import { expect, test } from 'vitest';
import { zip } from '../../../test/files/make-files.ts';
import { convertDocument } from '../../extract/convert-document.ts';
import { readDocument } from '../read-document.ts';

const namespaces = ['office', 'text', 'table', 'style', 'fo', 'draw', 'xlink', 'svg', 'presentation', 'dc', 'meta']
  .map((name) => ` xmlns:${name}="${name}"`)
  .join('');

function odf(kind: string, body: string, styles = '', others: Readonly<Record<string, string>> = {}): Uint8Array {
  return zip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content${namespaces}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...others,
  });
}

async function read(bytes: Uint8Array): Promise<ReturnType<typeof convertDocument>> {
  const document = await readDocument('odf', { bytes, contentType: '' });
  if (!document) throw new Error('no document');
  return convertDocument(document, { url: 'http://site.example/', outputFormat: 'markdown' });
}

const markdownOf = async (kind: string, body: string, styles = ''): Promise<string> =>
  (await read(odf(kind, body, styles))).text;

const p = (text: string, style = 'Standard'): string => `<text:p text:style-name="${style}">${text}</text:p>`;
const item = (...inside: string[]): string => `<text:list-item>${inside.join('')}</text:list-item>`;
const number = (level: number, format: string, more = ''): string =>
  `<text:list-level-style-number text:level="${level}" style:num-format="${format}" ${more}/>`;
const styles = [
  '<style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>',
  '<style:style style:name="T2" style:family="text" style:parent-style-name="T1"><style:text-properties fo:font-style="italic"/></style:style>',
  '<style:style style:name="T3" style:family="text"><style:text-properties style:text-position="sub 58%"/></style:style>',
  '<style:style style:name="Gone" style:family="text"><style:text-properties text:display="none"/></style:style>',
  '<style:style style:name="Off" style:family="table"><style:table-properties table:display="false"/></style:style>',
  '<style:style style:name="NoShow" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>',
  `<text:list-style style:name="L">${number(1, '1', 'style:num-suffix="."')}${number(2, 'a', 'style:num-prefix="(" style:num-suffix=")"')}</text:list-style>`,
  '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>',
  `<text:outline-style style:name="Outline">${['1', '1'].map((format, at) => `<text:outline-level-style text:level="${at + 1}" style:num-format="${format}" text:display-levels="${at + 1}"/>`).join('')}</text:outline-style>`,
].join('');

test.each<[string, string, string]>([
  [
    'numbered headings and emphasis',
    `<text:h text:outline-level="1">Scope</text:h>${p('Some <text:span text:style-name="T1">bold</text:span> and <text:span text:style-name="T2">both</text:span>, H<text:span text:style-name="T3">2</text:span>O')}<text:h text:outline-level="2">Part</text:h><text:h text:outline-level="1" text:is-list-header="true">Annex</text:h>`,
    '# 1 Scope\n\nSome **bold** and **_both_**, H₂O\n\n## 1.1 Part\n\n# Annex',
  ],
  [
    'lists with their labels, and one that continues',
    `<text:list text:style-name="L">${item(p('one'), `<text:list>${item(p('a'))}${item(p('b'))}</text:list>`)}${item(p('two'), p('more'))}</text:list>${p('So')}<text:list text:style-name="L" text:continue-numbering="true">${item(p('three'))}</text:list><text:list text:style-name="B">${item(p('dot'))}</text:list>`,
    '1. one\n\n   - (a) a\n   - (b) b\n\n2. two\n\n   more\n\nSo\n\n3. three\n\n- dot',
  ],
  [
    'no hidden, deleted or repeated text',
    `<text:tracked-changes><text:p>DELETED</text:p></text:tracked-changes>${p('Kept<text:span text:style-name="Gone">HIDDEN</text:span><office:annotation><text:p>NOTE</text:p></office:annotation>.')}<text:section text:display="none">${p('SECTION')}</text:section>`,
    'Kept.',
  ],
  [
    'cells over rows and columns, and a table in a cell as lines',
    `<table:table><table:table-header-rows><table:table-row><table:table-cell>${p('A')}</table:table-cell><table:table-cell>${p('B')}</table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell table:number-rows-spanned="2">${p('m')}</table:table-cell><table:table-cell>${p('1')}</table:table-cell></table:table-row><table:table-row><table:covered-table-cell/><table:table-cell><table:table><table:table-row><table:table-cell>${p('x')}</table:table-cell><table:table-cell>${p('y')}</table:table-cell></table:table-row></table:table></table:table-cell></table:table-row></table:table>`,
    '| A | B |\n| --- | --- |\n| m | 1 |\n| m | x y |',
  ],
  [
    'notes, links, line breaks, pictures and readings',
    p(
      'See <text:a xlink:href="https://a.example/">it</text:a><text:note><text:note-citation>7</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note><text:line-break/>then<text:s text:c="3"/>end <text:ruby><text:ruby-base>読</text:ruby-base><text:ruby-text>よ</text:ruby-text></text:ruby><draw:frame><draw:image/><svg:desc>A map</svg:desc></draw:frame>',
    ),
    'A map\n\nSee [it](https://a.example/)[^1]\\\nthen end 読(よ)\n\n[^1]: A note.',
  ],
])('ODT: keeps %s', async (_, body, expected) => {
  expect(await markdownOf('text', body, styles)).toBe(expected);
});

test('ODS: keeps visible sheets, shown values, links, comments, and repeated cells', async () => {
  const cell = (text: string, more = ''): string => `<table:table-cell ${more}>${p(text)}</table:table-cell>`;
  const row = (...cells: string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`;
  const body = `<table:table table:name="Costs">${row(cell('Item'), cell('Sum'), cell('Sum'))}${row(cell('<text:a xlink:href="https://a.example/">Road</text:a>'), `<table:table-cell office:value="5"><office:annotation><dc:creator>Bo</dc:creator>${p('Why?')}</office:annotation>${p('5 €')}${p('net')}</table:table-cell>`, '<table:table-cell table:number-columns-repeated="16000"/>')}${row(cell('x', 'table:number-columns-repeated="3"'))}<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16000"/></table:table-row></table:table><table:table table:name="Secret" table:style-name="Off">${row(cell('HIDDEN'))}</table:table>`;
  expect(await markdownOf('spreadsheet', body, styles)).toBe(
    '## Costs\n\n| Item | Sum | Sum |\n| --- | --- | --- |\n| [Road](https://a.example/) | 5 €<br>net |  |\n| x | x | x |\n\n- B2 · Bo: Why?',
  );
});

test('ODP: writes the title first, lists, notes, and no hidden slide', async () => {
  const frame = (kind: string, inside: string): string =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${inside}</draw:text-box></draw:frame>`;
  const slide = (inside: string, style = ''): string => `<draw:page draw:style-name="${style}">${inside}</draw:page>`;
  const body =
    slide(
      `${frame('outline', `<text:list>${item(p('one'), `<text:list>${item(p('deep'))}</text:list>`)}${item(p('two'))}</text:list>`)}${frame('title', p('First'))}<presentation:notes>${frame('notes', p('Say it.'))}</presentation:notes>`,
    ) +
    slide(frame('title', p('Draft')), 'NoShow') +
    slide(frame('title', p('Second')) + frame('footer', p('FOOT')));
  const { text, metadata } = await read(odf('presentation', body, styles));
  expect(text).toBe('## First\n\n- one\n  - deep\n- two\n\n> Say it.\n\n## Second');
  expect(metadata).toMatchObject({ title: 'First', pageCount: 2 });
});

test('ODF: reads the metadata of the file', async () => {
  const meta = `<office:document-meta${namespaces}><office:meta><dc:title>Minutes</dc:title><meta:initial-creator>Ada</meta:initial-creator><dc:creator>Bo</dc:creator><meta:keyword>a</meta:keyword><meta:keyword>b</meta:keyword><meta:creation-date>2026-01-02T03:04:05</meta:creation-date></office:meta></office:document-meta>`;
  const { metadata } = await read(odf('text', p('x'), '', { 'meta.xml': meta }));
  expect(metadata).toMatchObject({
    title: 'Minutes',
    author: 'Ada',
    keywords: ['a', 'b'],
    publishedTime: '2026-01-02T03:04:05',
  });
});

test.each<[string, string, () => Uint8Array]>([
  [
    'locked with a password',
    'unreadable_file',
    () =>
      odf('text', p('x'), '', {
        'META-INF/manifest.xml':
          '<m:manifest xmlns:m="m"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></m:manifest>',
      }),
  ],
  ['without content', 'unreadable_file', () => zip({ mimetype: 'x', 'content.xml': '<office:document-content/>' })],
  ['nested 10,000 deep', 'parse_budget', () => odf('text', '<text:section>'.repeat(10_000))],
  ['a zip bomb of 60 MiB', 'parse_budget', () => odf('text', ' '.repeat(60 * 2 ** 20))],
  [
    'a cell that repeats over a million rows and columns',
    'parse_budget',
    () =>
      odf(
        'spreadsheet',
        `<table:table><table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16000">${p('x')}</table:table-cell></table:table-row></table:table>`,
      ),
  ],
])('ODF: is rejected when it is %s', async (_, reason, file) => {
  await expect(read(file())).rejects.toMatchObject({ reason });
});

test('ODF: reads a file that calls its namespaces otherwise', async () => {
  const content = `<n0:document-content xmlns:n0="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:n1="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:n2="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:n3="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:n4="http://www.w3.org/1999/xlink"><n0:automatic-styles><n2:style n2:name="S"><n2:text-properties n3:font-weight="bold"/></n2:style></n0:automatic-styles><n0:body><n0:text><n1:h n1:outline-level="2">Head</n1:h><n1:p><n1:span n1:style-name="S">bold</n1:span> <n1:a n4:href="https://a.example/">link</n1:a></n1:p></n0:text></n0:body></n0:document-content>`;
  expect((await read(zip({ 'content.xml': content }))).text).toBe('## Head\n\n**bold** [link](https://a.example/)');
});

test('ODF: does not expand its own entities', async () => {
  const file = odf('text', p('&l9; ok'));
  const bomb = zip({
    mimetype: 'x',
    'content.xml': `<!DOCTYPE x [<!ENTITY l0 "lol"><!ENTITY l9 "&l0;&l0;">]><office:document-content${namespaces}><office:body><office:text>${p('&l9; ok')}</office:text></office:body></office:document-content>`,
  });
  for (const bytes of [file, bomb]) expect((await read(bytes)).text).toContain('ok');
});
