// A blog as WordPress makes it: each post under many lists, with feeds, reply links, short links and an API besides.
import { anchor, page } from './html.ts';
import { type Site, type SiteModule, type Size, navigationMark } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { capital, chunks, marker, pick, prose, range, title } from './words.ts';

export const wordpressBlog: SiteModule = {
  name: 'wordpress-blog',
  resembles:
    'A WordPress blog: posts, categories, tags, archives by date, feeds, replies, attachments, wp-sitemap.xml.',
  build,
};

interface Post {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly year: number;
  readonly month: string;
  readonly category: string;
  readonly tags: readonly string[];
}

const categories = ['travel', 'cooking', 'garden'];
const tags = ['tools', 'winter', 'wool', 'letters', 'boats'];
const perPage = 5;

function build(size: Size): Site {
  const plan = new SitePlan();
  const posts = range(size === 'small' ? 18 : 600).map(postOf);
  plan.robots([
    'User-agent: *',
    'Disallow: /wp-admin/',
    'Allow: /wp-admin/admin-ajax.php',
    'Disallow: /wp-login.php',
    '',
    'Sitemap: {{origin}}/wp-sitemap.xml',
  ]);
  const stylesheet = '<?xml-stylesheet type="text/xsl" href="{{origin}}/wp-sitemap-index.xsl" ?>';
  plan.sitemapIndex(
    '/wp-sitemap.xml',
    ['/wp-sitemap-posts-post-1.xml', '/wp-sitemap-taxonomies-category-1.xml'],
    stylesheet,
  );
  plan.sitemap(
    '/wp-sitemap-posts-post-1.xml',
    posts.map(({ path }) => path),
  );
  plan.sitemap(
    '/wp-sitemap-taxonomies-category-1.xml',
    categories.map((category) => `/category/${category}/`),
  );

  for (const post of posts) addPost(plan, post, posts);
  addLists(plan, '/', 'The Journal', posts);
  for (const category of categories)
    addLists(
      plan,
      `/category/${category}/`,
      `Category: ${capital(category)}`,
      posts.filter((post) => post.category === category),
    );
  for (const tag of tags)
    addLists(
      plan,
      `/tag/${tag}/`,
      `Tag: ${capital(tag)}`,
      posts.filter((post) => post.tags.includes(tag)),
    );
  addLists(plan, '/author/ada/', 'Author: Ada', posts);
  for (const [year, ofYear] of Map.groupBy(posts, (post) => post.year)) {
    addLists(plan, `/${year}/`, `Year: ${year}`, ofYear);
    for (const [month, ofMonth] of Map.groupBy(ofYear, (post) => post.month))
      addLists(plan, `/${year}/${month}/`, `Month: ${month}/${year}`, ofMonth);
  }
  for (const path of ['/feed/', '/comments/feed/'])
    plan.ends(path, 'content_type', {
      type: 'application/rss+xml; charset=UTF-8',
      body: '<rss><channel></channel></rss>',
    });
  plan.refused('/wp-login.php', 'robots_disallowed');
  plan.unlisted('/wp-json/', 'The API is named by a header and a <link>, not linked.');
  plan.unlisted('/xmlrpc.php?rsd', 'It is for editors.');
  plan.unlisted('/wp-sitemap-index.xsl', 'It is a style sheet.');
  return plan.site({ latencyMs: [5, 40] });
}

function postOf(index: number): Post {
  const name = title(`post ${index}`);
  const [year, month] = [2024 - Math.floor(index / 120), String(1 + (index % 3)).padStart(2, '0')];
  return {
    id: 100 + index,
    path: `/${year}/${month}/${name.toLowerCase().replaceAll(' ', '-')}-${marker(`slug ${index}`).toLowerCase()}/`,
    title: `${name}, part ${index + 1}`,
    year,
    month,
    category: categories[index % categories.length]!,
    tags: [tags[index % tags.length]!, tags[pick(`tag ${index}`, tags.length)]!],
  };
}

function addPost(plan: SitePlan, post: Post, posts: readonly Post[]): void {
  const { id, path, category } = post;
  const at = posts.indexOf(post);
  const has = marker(path);
  const shortlink = `/?p=${id}`;
  const attachment = `${path}photograph/`;
  const picture = `/wp-content/uploads/${id}.jpg`;
  const head = [
    `<link rel="alternate" type="application/rss+xml" title="Comments" href="{{origin}}${path}feed/">`,
    `<link rel="alternate" type="application/json" href="{{origin}}/wp-json/wp/v2/posts/${id}">`,
    `<link rel="canonical" href="{{origin}}${path}">`,
    `<link rel="shortlink" href="{{origin}}${shortlink}">`,
  ].join('\n');
  const comments = range(2).map(
    (index) =>
      `<li class="comment" id="comment-${id}${index}"><p>${prose(`comment ${id} ${index}`, 1)}</p>
      ${anchor(`{{origin}}${path}#comment-${id}${index}`, '4 March')}
      ${anchor(`{{origin}}${path}?replytocom=${id}${index}#respond`, 'Reply', 'rel="nofollow" class="comment-reply-link"')}</li>`,
  );
  const around = [posts[at - 1], posts[at + 1]].flatMap((other) =>
    other ? [anchor(`{{origin}}${other.path}`, other.title)] : [],
  );
  const main = `<article class="post"><h1 class="entry-title">${post.title}</h1><div class="entry-meta">${anchor(`/${post.year}/`, String(post.year))} ${anchor(`/${post.year}/${post.month}/`, post.month)}</div>
    <div class="entry-content"><p>${prose(path, 4)} ${has}.</p><p>${prose(`${path} more`, 4)}</p>
    ${anchor(attachment, `<img src="/wp-content/uploads/${id}-300x200.jpg" alt="${post.title}">`)}
    ${anchor(picture, 'The picture in full')}
    <p>Written before: ${anchor(`/?p=${100 + ((at + 1) % posts.length)}`, 'see there')}, or ${anchor(posts[(at + 1) % posts.length]!.path.slice(0, -1), 'without the slash')}.</p></div></article>
    <p class="cat-links">${anchor(`/category/${category}/`, capital(category))} ${post.tags.map((tag) => anchor(`/tag/${tag}/`, tag, 'rel="tag"')).join(' ')}</p>
    <nav class="post-navigation">${navigationMark} ${around.join(' ')}</nav><ol class="comment-list">${comments.join('')}</ol>`;
  plan.copies(path, [path], served(post.title, main, head, shortlink), has);
  for (const other of [shortlink, path.slice(0, -1)]) plan.redirect(path, other, `{{origin}}${path}`, has);
  plan.expect(`${path}?replytocom=${id}0`, { kind: 'refused', reason: 'nofollow' }, 0);
  plan.expect(`${path}?replytocom=${id}1`, { kind: 'refused', reason: 'nofollow' }, 0);
  plan.unlisted(`${path}feed/`, 'It is named by a <link> alone.');
  const caption = marker(attachment);
  const attached = `<article><h1>Photograph of ${post.title}</h1><p><img src="/wp-content/uploads/${id}-1024x768.jpg" alt=""> ${prose(attachment, 2)} ${caption}.</p></article>`;
  plan.page(attachment, served(`Photograph of ${post.title}`, attached), caption);
  plan.ends(picture, 'content_type', {
    type: 'image/jpeg',
    body: new Uint8Array([0xff, 0xd8, 0xff, 0xe0]),
    isFile: true,
  });
}

/** A list in pages, the first one at `path` itself. */
function addLists(plan: SitePlan, path: string, heading: string, posts: readonly Post[]): void {
  const pages = chunks(posts, perPage);
  const pathOf = (index: number): string => (index === 0 ? path : `${path}page/${index + 1}/`);
  for (const [index, part] of pages.entries()) {
    const has = marker(pathOf(index));
    const teasers = part.map(
      (post) =>
        `<article><h2>${anchor(`{{origin}}${post.path}`, post.title)}</h2><p>${prose(`teaser ${post.path}`, 1)} ${anchor(`{{origin}}${post.path}#more`, 'Continue reading')}</p>
        <p>${anchor(`{{origin}}${post.path}#respond`, 'Leave a comment')}</p></article>`,
    );
    const others = pages.map((_, other) =>
      other === index ? `<span>${other + 1}</span>` : anchor(pathOf(other), String(other + 1)),
    );
    const main = `<h1>${heading}</h1><div class="archive-description"><p>${prose(pathOf(index), 2)} ${has}.</p></div>${teasers.join('')}
      <nav class="pagination">${navigationMark} ${others.join(' ')}</nav>`;
    plan.page(pathOf(index), served(`${heading}, page ${index + 1}`, main), has);
  }
}

function served(name: string, main: string, head = '', shortlink = '') {
  const menu = categories.map((category) => [`/category/${category}/`, capital(category)] as const);
  const widgets = `<section class="widget widget_archive"><h2>Archives</h2>${anchor('/2024/', '2024')} ${anchor('/2024/01/', 'January')} ${anchor('/2024/02/', 'February')} ${anchor('/2024/03/', 'March')}</section>
    <section class="widget widget_meta"><h2>Meta</h2>${anchor('/wp-login.php', 'Log in')} ${anchor('/feed/', 'Entries feed')} ${anchor('/comments/feed/', 'Comments feed')} ${anchor('/author/ada/', 'Ada')}</section>
    <form role="search" method="get" action="/"><input name="s"></form>`;
  const api = '<{{origin}}/wp-json/>; rel="https://api.w.org/"';
  return {
    body: page({
      title: `${name} &#8211; The Journal`,
      main,
      menu,
      footer: widgets,
      head: `${head}<link rel="https://api.w.org/" href="{{origin}}/wp-json/"><link rel="EditURI" type="application/rsd+xml" title="RSD" href="{{origin}}/xmlrpc.php?rsd">`,
    }),
    headers: { link: shortlink === '' ? api : `${api}, <{{origin}}${shortlink}>; rel=shortlink` },
  };
}
