// A site of a town hall: files in PDF and DOCX, .HTM in capitals, links over http and https, spaces and umlauts as people type them.
import { docx, pdf, wordParagraph } from '../files/make-files.ts';
import { navigationMark, type Site, type SiteAnswer, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, prose, range, title } from './words.ts';

export const townHall: SiteModule = {
  name: 'town-hall',
  resembles: 'A public authority: PDF and DOCX, .HTM in capitals, http and https mixed, spaces and umlauts in URLs.',
  build,
};

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const bytes = 'application/octet-stream';

function build(size: Size): Site {
  const plan = new SitePlan();
  const count = size === 'small' ? 12 : sections.length * perSection;
  plan.robots(['User-agent: *', 'Disallow: /intern/']);
  plan.control('/sitemap.xml', { status: 404 });
  const links = [
    ...range(count).map((index) => hrefOf(index, officePath(index))),
    'DEFAULT.HTM',
    '/intern/Telefonliste 2024.pdf',
    'http://www.ministry.example/gesetze/Übersicht.htm',
    'https://portal.example/Anträge/',
    'mailto:rathaus@town.example',
  ];
  const has = marker('town hall');
  const start = frame(
    'Rathaus',
    `<p>${prose('town hall', 4)} ${has}.</p>${links.map((href) => `<a href="${href}">${title(href)}</a>`).join('<br>')}`,
  );
  plan.copies('/', ['/', '/DEFAULT.HTM'], start, has);
  for (const path of ['/', '/DEFAULT.HTM']) plan.expect(secure + path, { kind: 'copy', group: '/', has }, 1);
  plan.expect(`${secure}/robots.txt`, { kind: 'unlisted', why: 'It is for crawlers.' }, 1);
  for (const index of range(count)) addOffice(plan, index, officePath((index + 1) % count));
  plan.refused('/intern/Telefonliste 2024.pdf', 'robots_disallowed');
  plan.refused(`${secure}/intern/Telefonliste 2024.pdf`, 'robots_disallowed');
  plan.expect('http://www.ministry.example/gesetze/%C3%9Cbersicht.htm', { kind: 'refused', reason: 'off_host' }, 0);
  plan.expect('https://portal.example/Antr%C3%A4ge/', { kind: 'refused', reason: 'off_host' }, 0);
  return plan.site({
    // Its old Word file is not read.
    noticesAllowed: ['failed_pages'],
    latencyMs: [5, 50],
    isSecureToo: true,
    options: { include_linked_files: true },
    nameOf: encodedInOneWay,
    answer: ({ path }) => plan.answer(encodedInOneWay(path)),
  });
}

/** Pages link relatively, so one link over https leads to a second copy of the whole site. */
const secure = 'https://{{host}}';

/** The four ways in which pages write this link. */
function hrefOf(index: number, path: string): string {
  const encoded = encodeURI(path);
  const ways = [path, encoded, encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()), secure + path];
  return ways[index % ways.length]!;
}

const sections = ['Ämter', 'Schulen', 'Bauen', 'Kultur', 'Verkehr'];
/** Fewer than the 100 pages without new text that end a template: the copies over https bring none. */
const perSection = 80;

function sectionOf(index: number): string {
  return sections[Math.floor(index / perSection)]!;
}

function officePath(index: number): string {
  return `/${sectionOf(index)}/Büro ${index}/AMT${index}.HTM`;
}

function addOffice(plan: SitePlan, index: number, next: string): void {
  const path = officePath(index);
  const add = (each: string, served: SiteAnswer, mark: string): void => {
    plan.copies(each, [each], served, mark);
    plan.expect(secure + each, { kind: 'copy', group: each, has: mark }, 1);
  };
  const has = marker(path);
  const report = `/Dokumente/${sectionOf(index)}/Jahresbericht ${index} (Entwurf).PDF`;
  const form = `/Formulare/${sectionOf(index)}/Antrag für Büro ${index}.docx`;
  const old = `/Formulare/${sectionOf(index)}/Antrag ${index} alt.doc`;
  // In Latin-1, as the page says; its paths are UTF-8 all the same.
  const body = `<p>Öffnungszeiten: ${prose(path, 5)} ${has}.</p><p><a href="${report}">Jahresbericht</a>, <a href=' ${form} '>Antrag</a>, <a href="${old}">Antrag (alt)</a>,
    <a href="${path}#Zeiten">Zeiten</a>, <a href="${next}">Nebenan</a>, <a href="../../DEFAULT.HTM">Rathaus</a></p>`;
  const html = frame(title(path), body).replace('charset=utf-8', 'charset=iso-8859-1');
  add(path, { body: html, type: 'text/html', encode: (text) => Buffer.from(text, 'latin1') }, has);
  const reportMark = marker(report);
  add(
    report,
    {
      type: index % 2 === 0 ? 'application/pdf' : bytes,
      body: pdf([['# Report', prose(report, 1), `It ends with ${reportMark}.`]]),
      isFile: true,
    },
    reportMark,
  );
  const formMark = marker(form);
  add(
    form,
    { type: word, body: docx({ body: wordParagraph(`${prose(form, 2)} ${formMark}.`) }), isFile: true },
    formMark,
  );
  plan.ends(old, 'unreadable_file', {
    type: 'application/msword',
    body: new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]),
    isFile: true,
  });
  plan.expect(secure + old, { kind: 'ended', reason: 'unreadable_file' }, 1);
}

function encodedInOneWay(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

function frame(heading: string, main: string): string {
  return `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="de"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>${heading}</title></head><body>
<div id="navigation" class="nav"><ul><li><a href="/">${navigationMark} Start</a></li></ul></div>
<div id="inhalt"><h1>${heading}</h1>${main}</div><div id="fuss" class="footer"><p>${navigationMark} Impressum</p></div></body></html>`;
}
