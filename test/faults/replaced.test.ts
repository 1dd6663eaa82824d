// `npm install -g` of another version under a running service: the files of the program are gone, or others under the same names.
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exportFormats } from '../../src/export/formats.ts';
import { page, ScriptedSites } from '../e2e/scripted-site.ts';
import { encodeText } from '../encode-text.ts';
import { docx, epub, pdf, pptx, rtf, shape, utf8, wordParagraph, xlsx } from '../files/make-files.ts';
import { drawnPdf } from '../files/make-pdf.ts';
import { mainModule } from '../main-module.ts';
import { connectOverHttp } from '../mcp/clients.ts';
import { startService } from '../service/start-service.ts';
import { afterTest } from './crawl.ts';

const office = 'application/vnd.openxmlformats-officedocument.';
const files: Readonly<Record<string, readonly [type: string, body: Uint8Array]>> = {
  '/a.pdf': ['application/pdf', pdf([['Text of the report.']])],
  // Its font is not embedded: a file of the program says which letters these are.
  '/chinese.pdf': [
    'application/pdf',
    drawnPdf([{ texts: [{ x: 72, y: 700, text: encodeText('gbk', '欢迎使用本系统'), font: 'predefined' }] }], {
      predefined: ['GBK-EUC-H', 'GB1'],
    }),
  ],
  '/a.docx': [`${office}wordprocessingml.document`, docx({ body: wordParagraph('Text of the letter.') })],
  '/a.xlsx': [`${office}spreadsheetml.sheet`, xlsx({ Data: '<row><c><v>7</v></c></row>' })],
  '/a.pptx': [`${office}presentationml.presentation`, pptx([shape('title', ['A slide'])])],
  '/a.epub': ['application/epub+zip', epub(['<p>A chapter.</p>'])],
  '/a.rtf': ['application/rtf', utf8(rtf)],
  '/a.csv': ['text/csv', utf8('a,b\n1,2')],
  // Of an encoding that nothing declares.
  '/chinese': ['text/html', encodeText('gbk', `<p>${'欢迎使用本系统。'.repeat(40)}`)],
};

test.each([
  ['', false],
  [' while it converts apart', true],
])('serve: continues with its own code after another version has replaced its package%s', async (_, isAfterDeath) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-replaced-'));
  afterTest(() => rmSync(folder, { recursive: true }));
  const [dist, program] = [path.join(folder, 'dist'), path.join(folder, 'dist/main.js')];
  cpSync(path.dirname(mainModule), dist, { recursive: true });
  const sites = new ScriptedSites();
  afterTest(() => sites.close());
  let edition = 'first';
  const site = await sites.start((asked) => {
    if (asked === '/') return page(`/ of the ${edition} edition`, Object.keys(files));
    const [type, body] = files[asked] ?? [];
    return type !== undefined && body ? { headers: { 'content-type': type }, body } : undefined;
  });
  // The arguments of the shell are those that start the program of the tests.
  const service = await startService({ starter: ['sh', '-c', `exec "$0" ${program} "$2"`] });
  afterTest(() => service.close());
  const urls = [`${site.origin}/`];
  const before = await service.crawl({ urls, max_depth: 0 });
  if (isAfterDeath) {
    await service.kill();
    await service.start();
  }

  renameSync(dist, `${dist}-old`);
  cpSync(`${dist}-old`, dist, { recursive: true });
  rmSync(`${dist}-old`, { recursive: true });
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (/-[A-Z0-9]{8}\./.test(entry.name)) rmSync(file);
    else if (entry.isFile()) writeFileSync(file, 'throw new Error("code of another version");');
  }

  edition = 'second';
  const job = await service.crawl({
    urls,
    max_depth: 1,
    include_linked_files: true,
    store_raw: true,
    since: before.id,
  });
  const failed = await service.ok(`/crawler/jobs/${job.id}/urls?status=failed`);
  expect(failed).toMatchObject({ data: [] });
  expect(job.progress.scraped).toBe(Object.keys(files).length + 1);
  const ofJob = `/crawler/jobs/${job.id}`;
  for (const asked of [
    ...[...Object.keys(exportFormats), 'warc'].map((format) => `${ofJob}/export?format=${format}`),
    `${ofJob}/changes/diff?url=${encodeURIComponent(`${site.origin}/`)}`,
    `${ofJob}/search?q=letter`,
    '/docs/swagger-ui.js',
    '/docs/swagger-ui.css',
    '/',
  ]) {
    const { status, body } = await service.raw(asked, { headers: { accept: 'text/html, */*' } });
    expect.soft([status, body.length > 0], asked).toEqual([200, true]);
  }
  const mcp = await connectOverHttp(service);
  afterTest(() => mcp.close());
  expect((await mcp.call('crawl_status', { job: job.id })).text).toContain(job.id);
});
