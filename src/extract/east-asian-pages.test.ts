import { expect, it } from 'vitest';
import { chooseContent } from './content/main-content.ts';
import { parseHtml } from './html/parse-html.ts';
import { toText } from './write/markdown/to-markdown.ts';

interface Words {
  readonly language: string;
  readonly title: string;
  readonly sentence: string;
  readonly ranking: string;
  /** With fewer than 30 characters together, as long as 30 letters. */
  readonly menu: readonly string[];
}

const languages: readonly Words[] = [
  {
    language: 'zh',
    title: '市政府公布今年冬天的道路维修计划',
    sentence: '昨天下午，河边的旧磨坊重新开放，居民们排队参观修好的水车和新铺的木桥。',
    ranking: '点击排行',
    menu: ['首页', '国内', '国际', '财经', '体育', '文化', '科技', '天气'],
  },
  {
    language: 'ja',
    title: '市が今年の冬の道路工事の計画を発表',
    sentence: '川沿いの古い水車小屋がきのう再び開き、住民が修理された水車と新しい橋を見に集まった。',
    ranking: '閲覧順',
    menu: ['最新', '国内', '国際', '経済', '芸能', '映像', '科学', '天気'],
  },
  {
    language: 'ko',
    title: '시가 올겨울 도로 보수 계획을 발표했다',
    sentence: '어제 오후 강가의 오래된 물방앗간이 다시 문을 열어 주민들이 고친 물레방아와 새 다리를 보러 모였다.',
    ranking: '조회 순위',
    menu: ['홈', '정치', '국제', '경제', '사회', '과학', '연예', '날씨'],
  },
];

const names = [
  { text: 'c-txt', list: 'lst' },
  { text: 'wrap', list: 'u1' },
];

const places = ['before the text', 'below the text', 'beside the text'] as const;

const pages = languages.flatMap((words) =>
  places.flatMap((place) =>
    [6, 8].flatMap((entries) =>
      [9, 18].flatMap((sentences) =>
        names.map((name) => ({
          title: `${entries} entries ${place} of ${sentences} sentences, ${words.language} ${name.text}`,
          place,
          entries,
          sentences,
          words,
          name,
        })),
      ),
    ),
  ),
);

// The names say nothing, so only the lengths tell a menu from a text.
it.each(pages)('chooseContent: drops a menu whose words count as three letters a character: $title', (page) => {
  const { place, entries, sentences, words, name } = page;
  const menu = words.menu.slice(0, entries);
  const list = `<ul class="${name.list}">${menu.map((one) => `<li><a href="/${one}">${one}</a></li>`).join('')}</ul>`;
  const paragraphs = Array.from({ length: sentences }, (_, at) => `${at + 1} ${words.sentence}`);
  const article = `<h1>${words.title}</h1>${paragraphs.map((one) => `<p>${one}</p>`).join('')}`;
  const html = {
    'before the text': `<div class="t">${list}</div><div class="${name.text}">${article}</div>`,
    'below the text': `<div class="${name.text}">${article}${list}</div>`,
    'beside the text': `<div class="w"><div class="${name.text}">${article}</div><div class="r"><h3>${words.ranking}</h3>${list}</div></div>`,
  }[place];
  const head = `<html lang="${words.language}"><head><title>${words.title}</title></head>`;
  const lines = toText(chooseContent(parseHtml(`${head}<body>${html}</body></html>`), 'auto', null)).split('\n');
  const shown = new Set(lines.map((line) => line.replace(/^- /, '')));
  expect(menu.filter((one) => shown.has(one))).toEqual([]);
  expect([words.title, ...paragraphs].filter((one) => !shown.has(one))).toEqual([]);
});
