import { expect, it } from 'vitest';
import { chooseContent } from './content/main-content.ts';
import { parseHtml } from './html/parse-html.ts';
import { toText } from './write/to-text.ts';

interface Words {
  readonly language: string;
  readonly sentence: string;
  readonly link: string;
  readonly ranking: string;
  readonly related: string;
  readonly menu: readonly string[];
}

const languages: readonly Words[] = [
  {
    language: 'zh',
    sentence: '昨天下午，河边的旧磨坊重新开放，居民们排队参观修好的水车和新铺的木桥。',
    link: '市政府公布今年冬天的道路维修计划',
    ranking: '点击排行',
    related: '相关新闻',
    menu: ['首页', '国内', '国际', '财经', '体育', '文化', '科技', '天气预报'],
  },
  {
    language: 'ja',
    sentence: '川沿いの古い水車小屋がきのう再び開き、住民が修理された水車と新しい橋を見に集まった。',
    link: '市が今年の冬の道路工事の計画を発表',
    ranking: 'アクセスランキング',
    related: '関連記事',
    menu: ['トップ', '国内', '国際', '経済', 'スポーツ', '文化', '科学', '天気予報'],
  },
];

const dialects = [
  { article: 'article-body', side: 'sidebar', list: 'rank-list' },
  { article: 'c-txt', side: 'col-r', list: 'lst' },
  { article: 'entry-content', side: 'l-side', list: 'p-items' },
  { article: 'main_text', side: 'right_box', list: 'news_ul' },
  { article: 'content', side: 'aside', list: 'list14' },
];

const pages = languages.flatMap((words) =>
  dialects.flatMap((dialect) =>
    ['news', 'manual'].map((kind) => ({ name: `${kind} ${words.language} ${dialect.article}`, kind, words, dialect })),
  ),
);

it.each(pages)('chooseContent: takes the article of $name and little else', ({ kind, words, dialect }) => {
  const paragraphs = Array.from({ length: 6 }, (_, at) => `${at + 1}${words.sentence.repeat(3)}`);
  const links = (count: number): string =>
    Array.from({ length: count }, (_, at) => `<li><a href="/n/${at}">${words.link}${at}</a></li>`).join('');
  const menu = words.menu.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('');
  const article =
    kind === 'news'
      ? `<h1>${words.link}</h1><div class="${dialect.article}">${paragraphs.map((text) => `<p>${text}</p>`).join('')}</div>`
      : paragraphs
          .map((text, at) => `<div class="${dialect.article}"><h2>${at + 1}. ${words.link}</h2><p>${text}</p></div>`)
          .join('');
  const html = `<html lang="${words.language}"><head><title>${words.link}</title></head><body>
    <div class="top"><ul class="${dialect.list}">${menu}${menu}</ul></div>
    <div class="wrap"><div class="left">${article}
    <div class="${dialect.list}-box"><h3>${words.related}</h3><ul class="${dialect.list}">${links(10)}</ul></div></div>
    <div class="${dialect.side}"><h3>${words.ranking}</h3><ol class="${dialect.list}">${links(20)}</ol></div></div>
    </body></html>`;
  const text = toText(chooseContent(parseHtml(html), 'auto', null));
  const whole = paragraphs.join('').length;
  const kept = paragraphs.filter((one) => text.includes(one)).length;
  expect([kept, text.length <= whole * 1.6]).toEqual([paragraphs.length, true]);
});
