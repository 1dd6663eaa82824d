// Chinese news in GBK: declared late, by the header alone, or not at all.
import { navigationMark, type Site, type SiteAnswer, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { encoderOf } from './encode.ts';
import { pick, range } from './words.ts';

export const gbkNews: SiteModule = {
  name: 'gbk-news',
  resembles: 'Chinese news in GBK: charset in a meta beyond byte 1,024, in the header alone, or nowhere.',
  build,
};

const words =
  '我们 他们 今天 昨天 记者 城市 市场 学校 老师 学生 经济 发展 工作 生活 问题 时间 国家 政府 公司 银行 天气 农民 工人 医院 交通 铁路 ' +
  '文化 历史 图书馆 音乐 电影 比赛 运动员 春天 秋天 早上 晚上 开始 进行 表示 认为 参加 建设 提高 增加 报道 消息 社会 人民 技术 科学 研究';
const joints = '的 了 在 和 是 对 把 从 到 也 都 就'.split(' ');

function build(size: Size): Site {
  const plan = new SitePlan();
  const encode = encoderOf('gbk');
  const count = size === 'small' ? 30 : 1_000;
  const pathOf = (index: number): string => `/news/${2026 - (index % 3)}/${100_000 + index}.shtml`;
  plan.robots(['User-agent: *', 'Disallow: /comment/']);
  plan.control('/sitemap.xml', { status: 404, type: 'text/html; charset=gbk' });
  const links = range(count).map((index) => [pathOf(index), chinese(`title ${index}`, 4)] as const);
  plan.page(
    '/',
    { ...declaredLate(frame('新闻中心', `<p>${chinese('start', 30)}${mark('start')}</p>`, links), 'gb2312'), encode },
    mark('start'),
  );
  for (const index of range(count)) {
    const path = pathOf(index);
    const body = `<p>${chinese(path, 60)}。${mark(path)}</p><p>${chinese(`${path} more`, 80)}。</p>`;
    const html = frame(chinese(`title ${index}`, 4), body, [[pathOf((index + 1) % count), '下一篇']]);
    const declare = declarations[index % declarations.length]!;
    plan.page(path, { ...declare(html), encode }, mark(path));
  }
  return plan.site({ latencyMs: [5, 40] });
}

const declarations: readonly ((html: string) => SiteAnswer)[] = [
  (html) => declaredLate(html, 'gb2312'),
  // By the header alone.
  (html) => ({ body: html, type: 'text/html; charset=GBK' }),
  (html) => declaredLate(html, 'gb18030'),
  // No declaration at all.
  (html) => ({ body: html, type: 'text/html' }),
];

/** Scripts come first, so the meta begins after byte 1,024. */
function declaredLate(html: string, charset: string): SiteAnswer {
  const scripts = range(30).map(
    (index) =>
      `<script>var slot${index} = { width: ${pick(`${index}`, 900)}, height: 90, name: 'top_${index}' };</script>`,
  );
  const meta = `${scripts.join('\n')}\n<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`;
  return { body: html.replace('<head>', `<head>${meta}`), type: 'text/html' };
}

/** Real words, because a charset that is not declared can only be detected by them. */
function chinese(seed: string, count: number): string {
  const list = words.split(' ');
  return range(count)
    .map((index) => {
      const word = list[pick(`${seed} ${index}`, list.length)]!;
      const joint = index % 3 === 1 ? joints[pick(`${seed} joint ${index}`, joints.length)]! : '';
      return `${word}${joint}${index % 9 === 8 ? '，' : ''}`;
    })
    .join('');
}

/** Six words that no other page has in this order, in brackets that stand nowhere else. */
function mark(seed: string): string {
  return `《${chinese(`mark ${seed}`, 6)}》`;
}

function frame(name: string, main: string, links: readonly (readonly [href: string, text: string])[]): string {
  const items = links.map(([href, text]) => `<li><a href="${href}" target="_blank">${text}</a></li>`);
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN">
<html><head><title>${name}_新闻</title></head><body>
<div class="nav" id="topnav"><a href="/">${navigationMark} 首页</a></div>
<div class="content" id="artibody"><h1>${name}</h1>${main}</div><ul class="list">${items.join('\n')}</ul>
<div class="footer" id="footer"><p>${navigationMark} 版权所有</p></div></body></html>`;
}
