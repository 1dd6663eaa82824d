// A Russian site of the nineties: a front page that refreshes itself away, frames, windows-1251, and texts without HTML.
import { type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { encoderOf } from './encode.ts';
import { marker, pick, range } from './words.ts';

export const nineties: SiteModule = {
  name: 'nineties',
  resembles: 'A site of the nineties: meta refresh, frameset, windows-1251, image maps, documents as plain text.',
  build,
};

function build(size: Size): Site {
  const plan = new SitePlan();
  const encode = encoderOf('windows-1251');
  const count = size === 'small' ? 30 : 400;
  const storyPath = (index: number): string => `/st/${String(index).padStart(3, '0')}.htm`;
  const textPath = (index: number): string => `/doc/readme${index}.txt`;
  /** The charset is declared by a meta or by the header. */
  const served = (html: string, isInHeader: boolean) =>
    isInHeader
      ? {
          body: html.replace(/<META HTTP-EQUIV="Content-Type"[^>]*>/, ''),
          type: 'text/html; charset=windows-1251',
          encode,
        }
      : { body: html, type: 'text/html', encode };
  plan.control('/robots.txt', { status: 404, type: 'text/html' });
  plan.control('/sitemap.xml', { status: 404, type: 'text/html' });
  const frames =
    '<HTML><HEAD><TITLE>Архив</TITLE>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1251"></HEAD>\n<FRAMESET COLS="180,*" BORDER=0><FRAME NAME="menu" SRC="menu.htm" NORESIZE><FRAME NAME="main" SRC="main.htm"></FRAMESET><NOFRAMES>Ваш браузер не показывает кадры.</NOFRAMES></HTML>';
  // Only the front page tells that the refresh leads there, so the target may be requested for it too.
  plan.copies('/index_r.htm', ['/index_r.htm'], served(frames, false), undefined, { requests: [1, 2] });
  plan.serve(
    '/',
    served(
      '<HTML><HEAD><META HTTP-EQUIV="Refresh" CONTENT="0; URL=index_r.htm"></HEAD><BODY BGCOLOR=#FFFFFF></BODY></HTML>',
      false,
    ),
  );
  plan.expect('/', { kind: 'copy', group: '/index_r.htm', has: undefined }, 1);

  const links = range(count).map(
    (index) => `<A HREF="st/${String(index).padStart(3, '0')}.htm" TARGET=main>${russian(`title ${index}`, 2)}</A><BR>`,
  );
  plan.page(
    '/menu.htm',
    served(
      old(
        'Меню',
        `<P>${russian('menu', 12)} ${mark('menu')}.</P>${links.join('\n')}<A HREF="index_r.htm" TARGET=_top>На главную</A>`,
      ),
      false,
    ),
    mark('menu'),
  );
  const map = `<IMG SRC="map.gif" USEMAP="#m" BORDER=0><MAP NAME="m"><AREA SHAPE=RECT COORDS="0,0,50,50" HREF="guest.htm"><AREA SHAPE=RECT COORDS="50,0,99,50" HREF="st/000.htm"></MAP>`;
  plan.page(
    '/main.htm',
    served(
      old(
        'Добро пожаловать',
        `<P>${russian('main', 20)} ${mark('main')}.</P>${map}<A HREF="mailto:webmaster@site.example">Письмо</A> <A HREF=#top>Наверх</A>`,
      ),
      true,
    ),
    mark('main'),
  );
  plan.page(
    '/guest.htm',
    served(old('Гостевая', `<P>${russian('guest', 15)} ${mark('guest')}.</P>`), false),
    mark('guest'),
  );
  for (const index of range(count)) {
    const path = storyPath(index);
    const next = index + 1 < count ? `<A HREF=${storyPath(index + 1).slice(4)}>Дальше</A>` : '';
    const text = index % 3 === 0 ? `<A HREF="../doc/readme${index}.txt">Текст</A>` : '';
    const body = `<P>${russian(path, 40)} ${mark(path)}.</P><P>${russian(`${path} more`, 30)}.</P>${next} ${text}`;
    plan.page(path, served(old(russian(`title ${index}`, 2), body), index % 2 === 1), mark(path));
    if (index % 3 !== 0) continue;
    const lines = range(12).map((line) => russian(`${path} ${line}`, 8));
    // Such servers declare no charset for plain text.
    plan.page(
      textPath(index),
      { type: 'text/plain', body: `${lines.join('\r\n')}\r\n\r\n${mark(textPath(index))}\r\n`, encode },
      mark(textPath(index)),
    );
  }
  return plan.site({ latencyMs: [5, 50], options: { include_linked_files: true } });
}

const vocabulary = (
  'дорога берег вечер книга письмо город деревня река мост поезд станция окно дерево сад утро зима лето весна осень ветер ' +
  'старый новый тихий далёкий светлый тёмный первый последний большой маленький идёт стоит пишет читает помнит строит ищет находит ' +
  'там здесь сегодня вчера потом снова очень между около через'
).split(' ');

function russian(seed: string, count: number): string {
  return range(count)
    .map((index) => vocabulary[pick(`${seed} ${index}`, vocabulary.length)])
    .join(' ');
}

/** A word in Cyrillic letters that no other seed has. */
function mark(seed: string): string {
  return Array.from(marker(seed).toLowerCase(), (letter) =>
    String.fromCodePoint(0x0430 + letter.charCodeAt(0) - 97),
  ).join('');
}

function old(heading: string, body: string): string {
  return `<HTML><HEAD>\n<TITLE>${heading}</TITLE>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1251"></HEAD>
<BODY BGCOLOR=#FFFFFF TEXT=#000000><A NAME=top></A><TABLE WIDTH=600 BORDER=0 CELLPADDING=0><TR><TD><CENTER><FONT SIZE=+2><B>${heading}</B></FONT></CENTER><HR>${body}</TABLE></BODY></HTML>`;
}
