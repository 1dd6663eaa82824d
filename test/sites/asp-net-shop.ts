// A site on ASP.NET with a Java part: redirects test for cookies, paths ignore case, links carry sessions and scripts.
import { anchor } from './html.ts';
import { navigationMark, type Site, type SiteAnswer, type SiteModule, type SiteRequest, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, pick, prose, range, title } from './words.ts';

export const aspNetShop: SiteModule = {
  name: 'asp-net-shop',
  resembles: 'ASP.NET: cookie detection by redirect, __doPostBack, paths in any case, ;jsessionid in a Java part.',
  build,
};

const detection = 'AspxAutoDetectCookieSupport=1';

function build(size: Size): Site {
  const plan = new SitePlan();
  const count = size === 'small' ? 24 : 1_000;
  const pathOf = (id: number): string => `/Catalog/Product.aspx?ID=${id}`;
  const javaPathOf = (id: number): string => `/forum/thread/${id}.do`;
  plan.robots(['User-agent: *', 'Disallow: /Account/', 'Disallow: /ScriptResource.axd']);
  plan.control('/sitemap.xml', { status: 404 });
  const products = range(count).map((id) => [pathOf(id), title(`product ${id}`)] as const);
  const links = [
    ...products,
    ['/Default.aspx', 'Start'],
    ['/Legal/Terms.aspx', 'Terms'],
    ['/Account/Login.aspx', 'Log in'],
    ["javascript:__doPostBack('ctl00$Main$Grid','Page$2')", 'Page 2'],
    ["javascript:WebForm_DoPostBackWithOptions(new WebForm_PostBackOptions('ctl00'))", 'Sort'],
    [javaPathOf(0), 'Forum'],
  ] as const;
  const startMark = marker('asp start');
  const start = form(
    'Welcome',
    `<p>${prose('asp start', 3)} ${startMark}.</p>${links.map(([href, text]) => anchor(href, text)).join('<br>')}`,
  );
  plan.copies('/', ['/', '/Default.aspx'], start, startMark);
  plan.serve(`/?${detection}`, start);
  plan.expect(`/?${detection}`, { kind: 'unlisted', why: 'Only the redirect that tests for cookies leads there.' }, 1);
  plan.unlisted('/CookiesRequired.aspx', 'The cookie was sent back.');
  for (const id of range(count)) {
    const has = marker(pathOf(id));
    // The server ignores case, so pages link the same product in two spellings.
    const related = (id + 1) % count;
    const body = `<p>${prose(pathOf(id), 5)} ${has}.</p><p>Related: ${anchor(`/catalog/product.aspx?id=${related}`, title(`product ${related}`))}</p>`;
    plan.copies(pathOf(id), [pathOf(id), `/catalog/product.aspx?id=${id}`], form(title(`product ${id}`), body), has);
  }
  const terms = marker('terms');
  plan.serve('/Legal/Terms.aspx', form('Terms', `<p>${prose('terms', 4)} ${terms}.</p>`));
  plan.expect('/Legal/Terms.aspx', { kind: 'page', has: terms }, 2);
  plan.refused('/Account/Login.aspx', 'robots_disallowed');
  for (const id of range(count)) {
    const has = marker(javaPathOf(id));
    const to = [id + 1, 2 * id + 1, 2 * id + 2].filter((other) => other < count);
    // The session is filled in on each request, a new one each time.
    const body = `<p>${prose(javaPathOf(id), 4)} ${has}.</p>${to.map((other) => anchor(`${javaPathOf(other)};jsessionid={{session}}`, `Thread ${title(`thread ${other}`)}`)).join(' ')}`;
    plan.page(javaPathOf(id), form(title(`thread ${id}`), body), has);
  }
  let sessions = 0;
  const withSession = (answer: SiteAnswer): SiteAnswer => {
    const session = `${marker(`session ${(sessions += 1)}`).toUpperCase()}${pick(`${sessions}`, 1e9)}.node2`;
    return { ...answer, body: String(answer.body).replaceAll('{{session}}', session) };
  };
  return plan.site({
    latencyMs: [5, 30],
    notices: ['unfollowed_navigation'],
    nameOf: withoutSession,
    answer: (request) => {
      const answer = tryCookies(request) ?? plan.answer(withoutSession(request.path));
      return typeof answer?.body === 'string' ? withSession(answer) : answer;
    },
  });
}

function withoutSession(path: string): string {
  return path.replace(/;jsessionid=[^/?]*/, '');
}

/** Redirects a request for a page that lacks a cookie. Files need no cookie. */
function tryCookies({ path, headers: { cookie = '' } }: SiteRequest): SiteAnswer | undefined {
  const redirect = (location: string, set: string): SiteAnswer => ({
    status: 302,
    headers: { location, 'set-cookie': `${set}; path=/; HttpOnly` },
    isFile: true,
  });
  if (path === '/robots.txt' || path === '/sitemap.xml') return undefined;
  if (!cookie.includes(detection)) {
    return path.includes(detection)
      ? redirect('/CookiesRequired.aspx', 'none=1')
      : redirect(`${path}${path.includes('?') ? '&' : '?'}${detection}`, detection);
  }
  // A redirect to the same URL: only the cookie ends it.
  if (path === '/Legal/Terms.aspx' && !cookie.includes('terms=seen')) return redirect(path, 'terms=seen');
  return undefined;
}

/** As ASP.NET renders pages: the whole page is one form. */
function form(heading: string, body: string): string {
  const state = range(20)
    .map((index) => marker(`state ${heading} ${index}`))
    .join('');
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>
	${heading}
</title><script src="/ScriptResource.axd?d=abc"></script></head><body>
<form name="aspnetForm" method="post" action="./" id="aspnetForm"><input type="hidden" name="__VIEWSTATE" value="/wEPDw${state}==" />
<div id="header"><ul class="nav menu"><li><a href="/">${navigationMark} Home</a></li><li><a href="/Account/Login.aspx">${navigationMark} Account</a></li></ul></div>
<div id="main"><h1>${heading}</h1>${body}</div><div id="footer" class="footer"><p>${navigationMark} 2026</p></div></form></body></html>`;
}
