// A wiki as MediaWiki makes it: old titles that lead to new ones in three ways, red links, editing and history, special pages.
import { anchor } from './html.ts';
import { navigationMark, type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { chunks, marker, prose, range, title } from './words.ts';

export const wiki: SiteModule = {
  name: 'wiki',
  resembles:
    'MediaWiki: redirects by HTTP and in place, first letters in either case, red links, edit and history, Special:.',
  build,
};

const perCategory = 20;

function build(size: Size): Site {
  const plan = new SitePlan();
  const articles = range(size === 'small' ? 24 : 2_000).map(
    (index) => `${title(`article ${index}`).replace(' ', '_')}_${index}`,
  );
  plan.robots([
    'User-agent: *',
    'Disallow: /w/',
    'Disallow: /wiki/Special:',
    'Disallow: /wiki/Special%3A',
    'Disallow: /*?action=',
    'Disallow: /*&action=',
  ]);
  plan.control('/sitemap.xml', { status: 404 });
  const categories = chunks(articles, perCategory).map((members, index) => ({
    path: `/wiki/Category:Kind_${index}`,
    members,
  }));
  const mainMark = marker('wiki main');
  const mainPage = frame(
    'Main_Page',
    `<p>${prose('wiki main', 4)} ${mainMark}.</p>${categories.map(({ path }) => anchor(path, path.slice(6))).join(' ')}`,
  );
  // First reached by the redirect of the start, and linked from every page afterwards.
  plan.copies('/wiki/Main_Page', ['/wiki/Main_Page'], mainPage, mainMark, { requests: [1, 2] });
  plan.redirect('/wiki/Main_Page', '/', '{{origin}}/wiki/Main_Page', mainMark);
  for (const { path, members } of categories) {
    const has = marker(path);
    plan.page(
      path,
      frame(
        path.slice(6),
        `<p>${prose(path, 2)} ${has}.</p><div class="mw-category">${members.map((name) => `<li>${anchor(`/wiki/${name}`, spaced(name))}</li>`).join('')}</div>`,
      ),
      has,
    );
    plan.expect(`${path}?action=edit`, { kind: 'refused', reason: 'robots_disallowed' }, 0);
    plan.expect(`${path}?action=history`, { kind: 'refused', reason: 'robots_disallowed' }, 0);
  }
  for (const [index, name] of articles.entries()) addArticle(plan, index, articles, name);
  for (const path of ['/wiki/Special:Random', '/wiki/Special%3ASearch', '/w/index.php?title=Main_Page&printable=yes'])
    plan.refused(path, 'robots_disallowed');
  for (const action of ['edit', 'history'])
    plan.expect(`/wiki/Main_Page?action=${action}`, { kind: 'refused', reason: 'robots_disallowed' }, 0);
  return plan.site({ latencyMs: [10, 50] });
}

function addArticle(plan: SitePlan, index: number, articles: readonly string[], name: string): void {
  const path = `/wiki/${name}`;
  const has = marker(path);
  const other = articles[(index + 1) % articles.length]!;
  const renamed = `/wiki/Formerly_${other}`;
  const alias = `/wiki/Alias_of_${other}`;
  const lowerCase = `/wiki/${lower(other)}`;
  const missing = `/wiki/Missing_${index}`;
  const body = (notice: string): string =>
    frame(
      name,
      `${notice}<p>The <b>${spaced(name)}</b>: ${prose(path, 5)} ${has}.</p>
      <div id="toc" class="toc"><a href="#History"><span class="toctext">History</span></a></div>
      <h2><span class="mw-headline" id="History">History</span><span class="mw-editsection">[${anchor(`${path}?action=edit&section=1`, 'edit')}]</span></h2>
      <p>${prose(`${path} history`, 12)} See ${anchor(`/wiki/${other}`, spaced(other))}, once ${anchor(renamed, 'another title', 'class="mw-redirect"')}, in short ${anchor(alias, 'an alias', 'class="mw-redirect"')},
      or ${anchor(lowerCase, lower(spaced(other)))}${index % 5 === 0 ? `, and ${anchor(missing, 'what nobody wrote', 'class="new"')}` : ''}.</p>
      <p>${anchor(`${path}?oldid=${9_000 + index}`, 'Permanent link', 'rel="nofollow"')}</p>`,
      `<link rel="canonical" href="{{origin}}${path}">`,
    );
  plan.copies(path, [path], body(''), has);
  plan.redirect(path, `/wiki/Formerly_${name}`, `{{origin}}${path}`, has);
  plan.redirect(path, `/wiki/${lower(name)}`, `{{origin}}${path}`, has);
  // The text of the article under another title, with a line that says so.
  const aliasPath = `/wiki/Alias_of_${name}`;
  const noRedirect = `${aliasPath}?redirect=no`;
  plan.copies(
    path,
    [aliasPath],
    body(
      `<div id="contentSub"><span class="mw-redirectedfrom">(Redirected from ${anchor(noRedirect, `Alias of ${spaced(name)}`)})</span></div>`,
    ),
    has,
  );
  const still = marker(noRedirect);
  plan.page(
    noRedirect,
    frame(
      `Alias_of_${name}`,
      `<div class="redirectMsg"><p>This is a redirect page, kept since ${still}. It leads to:</p><ul class="redirectText"><li>${anchor(path, spaced(name))}</li></ul></div>`,
    ),
    still,
  );
  if (index % 5 === 0)
    plan.ends(missing, 'http_404', {
      status: 404,
      body: frame(
        `Missing_${index}`,
        `<p>There is no text on this page yet. You can search for it in ${anchor('/wiki/Main_Page', 'other pages')}.</p>`,
      ),
    });
  for (const query of ['?action=edit&section=1', '?action=edit', '?action=history'])
    plan.expect(`${path}${query}`, { kind: 'refused', reason: 'robots_disallowed' }, 0);
  for (const query of ['?action=edit', '?action=history'])
    plan.expect(`${aliasPath}${query}`, { kind: 'refused', reason: 'robots_disallowed' }, 0);
  plan.expect(`${path}?oldid=${9_000 + index}`, { kind: 'refused', reason: 'nofollow' }, 0);
}

function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

function lower(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

function frame(name: string, main: string, head = ''): string {
  const path = `/wiki/${name}`;
  const tools = ['edit', 'history'].map(
    (action) => `<li>${anchor(`${path}?action=${action}`, `${navigationMark} ${action}`)}</li>`,
  );
  const places = [
    '/wiki/Main_Page',
    '/wiki/Special:Random',
    '/wiki/Special%3ASearch',
    '/w/index.php?title=Main_Page&printable=yes',
  ];
  return `<!DOCTYPE html>
<html class="client-nojs" lang="en" dir="ltr"><head><meta charset="UTF-8"/><title>${spaced(name)} - The Wiki</title>${head}</head>
<body class="mediawiki ltr sitedir-ltr mw-hide-empty-elt ns-0 ns-subject skin-vector action-view">
<div id="content" class="mw-body" role="main"><h1 id="firstHeading" class="firstHeading">${spaced(name)}</h1>
<div id="bodyContent" class="mw-body-content"><div id="mw-content-text" class="mw-content-ltr" lang="en"><div class="mw-parser-output">${main}</div></div></div></div>
<div id="mw-navigation"><h2>${navigationMark} menu</h2><div id="p-views" role="navigation"><ul>${tools.join('')}</ul></div>
<div id="p-navigation" role="navigation"><ul>${places.map((place) => `<li>${anchor(place, `${navigationMark} ${place.length}`)}</li>`).join('')}</ul></div></div>
<footer id="footer" role="contentinfo"><ul><li>${navigationMark}: this page was last edited on 1 March 2026.</li></ul></footer></body></html>`;
}
