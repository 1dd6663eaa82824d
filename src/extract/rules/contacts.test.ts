import { expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the page itself, enough of them that nobody takes it for a caption or a menu. ';
const main = `<main><h1>Resident parking</h1><p>${prose.repeat(9)}</p></main>`;

function textOf(beside: string, head = ''): string {
  return toText(chooseContent(parseHtml(`${head}<body>${beside}</body>`), 'auto', null)).replace(/\s+/g, ' ');
}

const contacts = [
  '<p>Parking office, room 14</p><p><a href="tel:+49123">0123 456</a></p>',
  '<h3>Contact</h3><p>Parking office, room 14</p><p><a href="mailto:a@b.example">a@b.example</a></p>',
  '<address>Parking office, room 14<br>Mill Lane 3</address><p>Monday 9 to 12</p>',
  '<div class="h-card"><a href="/ann">Ann Lee</a><p>Parking office, room 14</p><a href="tel:+49123">0123 456</a></div>',
];

it.each(contacts)(
  'chooseContent: keeps a contact that stands beside the content of a page that is no article: %s',
  (contact) => {
    expect(textOf(`${main}<aside>${contact}</aside>`)).toMatch(/Resident parking.*room 14/);
    expect(textOf(`<aside>${contact}</aside>${main}`)).toMatch(/Resident parking.*room 14/);
    expect(textOf(`${main}<div class=col><div>${contact}</div></div>`)).toMatch(/Resident parking.*room 14/);
    expect(textOf(`${main}<aside role=complementary>${contact}</aside>`)).toMatch(/Resident parking.*room 14/);
  },
);

it.each(contacts)(
  'chooseContent: drops a contact that stands beside an article, or in the foot of a site: %s',
  (contact) => {
    expect(textOf(`${main}<aside>${contact}</aside>`, '<meta property=og:type content=article>')).not.toContain(
      'room 14',
    );
    expect(textOf(`${main}<footer>${contact}</footer>`)).not.toContain('room 14');
  },
);

it('chooseContent: drops links and texts of an aside beside a contact that is a small part of it', () => {
  const links = Array.from({ length: 9 }, (_, at) => `<li><a href="/${at}">Another office of ours ${at}</a></li>`).join(
    '',
  );
  const text = textOf(`${main}<aside><ul>${links}</ul>${contacts[0]}</aside>`);
  expect(text).not.toContain('Another office');
});
