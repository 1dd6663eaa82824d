import { expect, test } from 'vitest';
import { fileKindOf } from './file-kind.ts';

test.each<[contentType: string, path: string, string | undefined]>([
  ['application/pdf', '/x', 'pdf'],
  ['Application/PDF; charset=binary', '/x', 'pdf'],
  ['application/octet-stream', '/x.PDF?download=1', 'pdf'],
  ['application/octet-stream', '/x?file=a.pdf', undefined],
  ['application/octet-stream', '/x', undefined],
  ['application/zip', '/x.docx', 'docx'],
  ['application/zip', '/x.zip', undefined],
  ['', '/x.xlsx', 'xlsx'],
  ['', '/x', undefined],
  ['', '/x.html', undefined],
  ['text/html', '/x.pdf', undefined],
  ['application/xhtml+xml', '/x.xml', undefined],
  ['text/plain', '/README.md', 'markdown'],
  ['text/plain; charset=utf-8', '/data.csv', 'csv'],
  ['text/plain', '/notes', 'text'],
  ['text/csv', '/x.txt', 'csv'],
  ['application/atom+xml', '/feed', 'xml'],
  ['image/svg+xml', '/x.svg', undefined],
  ['text/css', '/x.css', undefined],
  ['text/javascript', '/x.js', undefined],
])('fileKindOf: reads %j at %s as %s', (contentType, path, kind) => {
  expect(fileKindOf(contentType, path)).toBe(kind);
});
