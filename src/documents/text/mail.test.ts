import { expect, test } from 'vitest';
import { utf8 } from '../../../test/files/make-files.ts';
import { convertDocument } from '../../extract/convert-document.ts';
import { readDocument } from '../read-document.ts';

async function read(text: string): Promise<ReturnType<typeof convertDocument>> {
  const document = await readDocument('mail', { bytes: utf8(text.replaceAll('\n', '\r\n')), contentType: '' });
  if (!document) throw new Error('no document');
  return convertDocument(document, { url: 'http://site.example/', outputFormat: 'markdown' });
}

const head =
  'From: Ada <ada@a.example>\nTo: Bo <bo@b.example>, c@c.example\nSubject: =?utf-8?Q?Caf=C3=A9?=\nDate: Mon, 02 Nov 2026 10:00:00 +0100\nMIME-Version: 1.0\n';
const shown =
  '# Café\n\nFrom: Ada <ada@a.example>\\\nTo: Bo <bo@b.example>, c@c.example\\\nDate: Mon, 02 Nov 2026 10:00:00 +0100\n\n';

test.each<[string, string, string]>([
  ['a message of text', `${head}\nHello,\nBo.\n\nBye.\n`, `${shown}Hello,\\\nBo.\n\nBye.`],
  [
    'the HTML of two alternatives, decoded',
    `${head}Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nPLAIN\n--b\nContent-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n<p>A <b>caf=E9</b> to=\nday</p>\n--b--\n`,
    `${shown}A **café** today`,
  ],
  [
    'the names of attached files',
    `${head}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nSee it.\n--b\nContent-Type: application/pdf; name="plan.pdf"\nContent-Transfer-Encoding: base64\n\nJVBERi0=\n--b--\n`,
    `${shown}See it.\n\n- plan.pdf`,
  ],
  [
    'the page of a web archive, without its parts',
    'From: <Saved by Blink>\nSnapshot-Content-Location: https://a.example/\nSubject: Saved\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<h1>Page</h1><p>Text</p>\n--b\nContent-Type: text/css\n\nCSS{}\n--b--\n',
    '# Page\n\nText',
  ],
])('mail: keeps %s', async (_, file, expected) => {
  expect((await read(file)).text.replaceAll(/\\(?=[<>])/g, '')).toBe(expected);
});

test('mail: has subject, sender and time as metadata', async () => {
  expect((await read(`${head}\nHello`)).metadata).toMatchObject({
    title: 'Café',
    author: 'Ada <ada@a.example>',
    publishedTime: '2026-11-02T09:00:00.000Z',
  });
});

test.each<[string, string, string]>([
  ['no message', 'unreadable_file', 'Hello there'],
  [
    'parts nested 100 deep',
    'parse_budget',
    Array.from({ length: 100 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`).join(''),
  ],
  ['a header of 2 MB', 'parse_budget', `${head}X-Long: ${'x'.repeat(2_000_000)}\n\nHello`],
])('mail: is rejected when it is %s', async (_, reason, file) => {
  await expect(read(file)).rejects.toMatchObject({ reason });
});
