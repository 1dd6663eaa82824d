import { expect, test } from 'vitest';
import { utf8 } from '../../../test/files/make-files.ts';
import { convertDocument } from '../../extract/convert-document.ts';
import { readDocument } from '../read-document.ts';

async function read(notebook: unknown): Promise<ReturnType<typeof convertDocument>> {
  const text = typeof notebook === 'string' ? notebook : JSON.stringify(notebook);
  const document = await readDocument('ipynb', { bytes: utf8(text), contentType: '' });
  if (!document) throw new Error('no document');
  return convertDocument(document, { url: 'http://site.example/', outputFormat: 'markdown' });
}

const code = (source: string | string[], ...outputs: object[]): object => ({ cell_type: 'code', source, outputs });
const data = (of: object): object => ({ output_type: 'execute_result', data: of });
const notebook = (...cells: object[]): object => ({
  nbformat: 4,
  metadata: { language_info: { name: 'python' }, authors: [{ name: 'Ada' }] },
  cells,
});

test.each<[string, object, string]>([
  [
    'text, code and raw cells',
    notebook(
      { cell_type: 'markdown', source: ['# Tides\n', '\n', 'See [it](https://a.example/) ![p](attachment:p.png).'] },
      code(['x = 1\n', 'x']),
      { cell_type: 'raw', source: 'raw' },
      { cell_type: 'code', source: '', outputs: [] },
    ),
    '# Tides\n\nSee [it](https://a.example/) p.\n\n```python\nx = 1\nx\n```\n\nraw',
  ],
  [
    'printed lines without colours',
    notebook(code('', { output_type: 'stream', text: ['\u001b[31ma\u001b[0m\n', '1%\r2%\n'] })),
    '```\na\n2%\n```',
  ],
  [
    'the richest form of an output',
    notebook(
      code('', data({ 'text/html': '<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'text/plain': 'PLAIN' })),
      code('', data({ 'image/png': 'iVBOR', 'text/plain': '<Figure>' })),
      code('', { output_type: 'error', ename: 'KeyError', evalue: "'x'", traceback: ['TRACE'] }),
    ),
    "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```\n<Figure>\n```\n\n```\nKeyError: 'x'\n```",
  ],
  [
    'notebooks of format 3',
    {
      nbformat: 3,
      metadata: {},
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: 'Old' },
            { cell_type: 'code', input: 'print 1', outputs: [{ output_type: 'stream', text: '1\n' }] },
          ],
        },
      ],
    },
    '## Old\n\n```\nprint 1\n```\n\n```\n1\n```',
  ],
])('ipynb: keeps %s', async (_, file, expected) => {
  expect((await read(file)).text).toBe(expected);
});

test('ipynb: has the title of its first heading, and its authors', async () => {
  const { metadata } = await read(notebook({ cell_type: 'markdown', source: 'Intro\n\n## The tides' }));
  expect(metadata).toMatchObject({ title: 'The tides', author: 'Ada' });
});

test.each<[string, string, unknown]>([
  ['no JSON', 'unreadable_file', '{"nbformat": 4, "cells": ['],
  ['no notebook', 'unreadable_file', { a: 1 }],
  ['JSON nested 100,000 deep', 'unreadable_file', '['.repeat(100_000)],
  ['one of 10,001 cells', 'parse_budget', notebook(...Array.from({ length: 10_001 }, () => code('x')))],
])('ipynb: is rejected when it is %s', async (_, reason, file) => {
  await expect(read(file)).rejects.toMatchObject({ reason });
});
