// A forum as Discourse shows itself to crawlers: each post is a URL of its own that shows its whole topic.
import { anchor } from './html.ts';
import { navigationMark, type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { chunks, marker, pick, prose, range, title } from './words.ts';

export const forum: SiteModule = {
  name: 'forum',
  resembles:
    'Discourse: topics in pages, a URL for each post with a canonical link, user pages that robots.txt forbids.',
  build,
};

const postsPerPage = 20;
const topicsPerPage = 12;

interface Topic {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly posts: number;
}

function build(size: Size): Site {
  const plan = new SitePlan();
  const topics = range(size === 'small' ? 18 : 1_200).map((index): Topic => {
    const name = title(`topic ${index}`);
    const id = 1_000 + index;
    return {
      id,
      path: `/t/${name.toLowerCase().replace(' ', '-')}/${id}`,
      title: `${name} (${id})`,
      posts: index % 6 === 0 ? 25 : 3,
    };
  });
  plan.robots([
    'User-agent: *',
    ...['/auth/', '/email/', '/session', '/user-api-key', '/badges', '/u', '/my', '/search', '/g'].map(
      (path) => `Disallow: ${path}/`,
    ),
    'Disallow: /*?api_key*',
    'Sitemap: {{origin}}/sitemap.xml',
  ]);
  plan.sitemapIndex('/sitemap.xml', ['/sitemap_recent.xml', '/sitemap_1.xml']);
  plan.sitemap(
    '/sitemap_recent.xml',
    topics.slice(0, 5).map(({ path }) => path),
  );
  plan.sitemap(
    '/sitemap_1.xml',
    topics.map(({ path }) => path),
  );
  for (const topic of topics) addTopic(plan, topic);
  const categories = [4, 5, 6].map((id) => ({
    path: `/c/${title(`category ${id}`).toLowerCase().replace(' ', '-')}/${id}`,
    id,
  }));
  const pages = chunks(topics, topicsPerPage);
  const latest = (index: number): string => (index === 0 ? '/latest' : `/latest?no_definitions=true&page=${index}`);
  for (const [index, part] of pages.entries()) {
    const has = marker(latest(index));
    const next = pages[index + 1] ? [anchor(latest(index + 1), 'next page', 'rel="next"')] : [];
    const body = frame(
      'Latest topics',
      `${listOf(part, has)}<div role="navigation">${navigationMark} ${next.join('')} ${categories.map(({ path, id }) => anchor(path, `Category ${id}`)).join(' ')} ${anchor('/latest', 'Latest')} ${anchor('/badges/', 'Badges')} ${anchor('/session/sso?return_path=%2F', 'Log in', 'rel="nofollow"')} ${anchor('/login', 'Log in', 'rel="nofollow"')}</div>`,
    );
    if (index === 0) plan.copies('/latest', ['/', '/latest'], body, has);
    else plan.page(latest(index), body, has);
  }
  for (const { path, id } of categories) {
    const ofCategory = topics.filter((topic) => topic.id % 3 === id % 3);
    for (const [index, part] of chunks(ofCategory, topicsPerPage).entries()) {
      const at = index === 0 ? path : `${path}?page=${index}`;
      const more =
        ofCategory.length > (index + 1) * topicsPerPage
          ? anchor(`${path}?page=${index + 1}`, 'next page', 'rel="next"')
          : '';
      plan.page(
        at,
        frame(`Category ${id}`, `${listOf(part, marker(at))}<div role="navigation">${navigationMark} ${more}</div>`),
        marker(at),
      );
    }
  }
  for (const user of users) plan.refused(`/u/${user}`, 'robots_disallowed');
  plan.refused('/badges/', 'robots_disallowed');
  plan.refused('/session/sso?return_path=%2F', 'nofollow');
  plan.refused('/login', 'nofollow');
  plan.expect('https://elsewhere.example/source', { kind: 'refused', reason: 'off_host' }, 0);
  return plan.site({ latencyMs: [10, 40] });
}

const users = ['ada', 'bo', 'cy', 'dee'];

function addTopic(plan: SitePlan, { id, path, title: name, posts }: Topic): void {
  for (const [index, part] of chunks(range(posts), postsPerPage).entries()) {
    const canonical = index === 0 ? path : `${path}?page=${index + 1}`;
    const has = marker(canonical);
    const shown = part.map((post) => {
      const user = users[pick(`${id} ${post}`, users.length)]!;
      const cites =
        post === 1 ? ` ${anchor('https://elsewhere.example/source', 'source', 'rel="noopener nofollow ugc"')}` : '';
      // The link to the first post is the URL of the topic.
      const share = post === 0 ? path : `${path}/${post + 1}`;
      return `<div id="post_${post + 1}" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">${anchor(`/u/${user}`, user)}</span>
        ${anchor(share, `<time datetime="2026-03-01T10:00:00Z">1 March 2026</time>`, 'class="crawler-permalink"')}</div>
        <div class="post"><p>${prose(`${path} ${post}`, 3)}${post === part[0] ? ` ${has}.` : ''}${cites}</p></div></div>`;
    });
    const next =
      (index + 1) * postsPerPage < posts ? anchor(`${path}?page=${index + 2}`, 'next page →', 'rel="next"') : '';
    const body = frame(
      name,
      `<div id="topic-title"><h1>${anchor(path, name)}</h1></div>${shown.join('')}<div role="navigation" class="crawler-nav">${navigationMark} ${next}</div>`,
      `<link rel="canonical" href="{{origin}}${canonical}"><link rel="alternate" type="application/rss+xml" href="{{origin}}${path}.rss">`,
    );
    const own = part.filter((post) => post > 0).map((post) => `${path}/${post + 1}`);
    // Where ten URLs in a row show one topic, one that was read before is asked for again.
    plan.copies(canonical, [canonical, ...own], body, has, { requests: [1, 2] });
  }
  plan.redirect(path, `/t/${id}`, `{{origin}}${path}`, marker(path));
  plan.unlisted(`${path}.rss`, 'It is named by a <link> alone.');
}

function listOf(topics: readonly Topic[], has: string): string {
  const rows = topics.map(
    ({ id, path, title: name, posts }, index) =>
      `<tr class="topic-list-item"><td class="main-link">${anchor(`{{origin}}${path}`, name)}<p class="excerpt">${prose(`excerpt ${path}`, 1)}${index === 0 ? ` ${has}.` : ''} ${anchor(`/t/${id}`, 'read more')}</p></td>
      <td class="posters">${users.map((user) => anchor(`/u/${user}`, user)).join(' ')}</td><td>${posts}</td></tr>`,
  );
  return `<table class="topic-list"><thead><tr><th>Topic</th><th></th><th>Replies</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function frame(name: string, main: string, head = ''): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${name} - Makers' Forum</title>${head}</head><body class="crawler">
<header><a href="/">${navigationMark} Forum</a></header><div id="main-outlet" class="wrap" role="main">${main}</div>
<footer class="container wrap"><nav class="crawler-nav"><ul><li><a href="/">${navigationMark} Home</a></li></ul></nav></footer></body></html>`;
}
