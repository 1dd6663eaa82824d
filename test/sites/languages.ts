// One site in three languages: named by hreflang or by the sitemap alone, with redirects by cookie and Accept-Language.
import { anchor, page } from './html.ts';
import { type Site, type SiteModule, type SiteRequest, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, prose, range, title } from './words.ts';

export const languages: SiteModule = {
  name: 'languages',
  resembles: 'A site in three languages: hreflang, a sitemap with xhtml:link, redirects by cookie and Accept-Language.',
  build,
};

const codes = ['en', 'de', 'fr'];

function build(size: Size): Site {
  const plan = new SitePlan();
  const pages = range(size === 'small' ? 20 : 600).map((index) => ({
    index,
    slug: `${title(`words ${index}`).toLowerCase().replace(' ', '-')}-${index}`,
  }));
  const pathOf = (code: string, slug: string): string => `/${code}/${slug}`;
  /** Odd pages say nothing of their translations; the sitemap does. */
  const namesOthers = (index: number): boolean => index % 2 === 0;
  plan.robots(['User-agent: *', 'Disallow: /admin', 'Sitemap: {{origin}}/sitemap.xml']);
  const entries = pages.map(({ slug }) => {
    const others = codes.map(
      (code) => `<xhtml:link rel="alternate" hreflang="${code}" href="{{origin}}${pathOf(code, slug)}"/>`,
    );
    return `<url><loc>{{origin}}${pathOf('en', slug)}</loc>${others.join('')}</url>`;
  });
  plan.control('/sitemap.xml', {
    type: 'text/xml',
    body: `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">${entries.join('\n')}</urlset>`,
  });
  const homes = (from = ''): string =>
    [
      ...codes.map((code) => `<link rel="alternate" hreflang="${code}" href="{{origin}}/${code}/${from}">`),
      `<link rel="alternate" hreflang="x-default" href="{{origin}}/">`,
    ].join('');
  for (const code of codes) {
    const has = marker(`home ${code}`);
    const links = pages.map(({ slug, index }) => anchor(pathOf(code, slug), title(`${code} ${index}`)));
    const home = page({
      title: `Home (${code})`,
      lang: code,
      head: homes(),
      main: `<h1>Home</h1><p>${prose(`home ${code}`, 3)} ${has}.</p>${code === 'en' ? links.join(' ') : ''}`,
    });
    plan.copies(`/${code}/`, [`/${code}/`], home, has, { requests: code === 'en' ? [1, 2] : 1 });
    if (code === 'en') plan.expect('/', { kind: 'copy', group: '/en/', has }, 1);
    for (const { slug, index } of pages) {
      const path = pathOf(code, slug);
      const others = codes.filter((other) => other !== code);
      const switches = others.map((other) => anchor(`/language/${other}?return=${encodeURIComponent(slug)}`, other));
      const isOpen = namesOthers(index);
      const name = title(`${code} ${index}`);
      const mark = marker(path);
      const main = `<h1>${name}</h1><p>${prose(path, 6)} ${mark}.</p>${isOpen ? `<p>${switches.join(' ')} ${anchor(`/go/${slug}`, 'In your language')}</p>` : ''}`;
      plan.copies(path, [path], page({ title: name, lang: code, head: isOpen ? homes(slug) : '', main }), mark);
      // The target is known: the same page links it. A redirect that brings the job a new cookie is asked once more.
      if (isOpen)
        plan.expect(
          `/language/${code}?return=${encodeURIComponent(slug)}`,
          { kind: 'copy', group: path, has: mark },
          [1, 2],
        );
    }
  }
  for (const { slug, index } of pages) {
    // The cookie of that moment decides the language.
    if (namesOthers(index))
      plan.expect(
        `/go/${slug}`,
        { kind: 'ended', reason: 'duplicate_of', details: codes.map((code) => pathOf(code, slug)) },
        [1, 2],
      );
  }
  return plan.site({ latencyMs: [5, 30], answer: (request) => redirected(request) ?? plan.answer(request.path) });
}

function redirected({ path, headers: { cookie = '', 'accept-language': accepted = '' } }: SiteRequest) {
  const to = (location: string, more = {}) => ({
    status: 302,
    headers: { location, vary: 'Cookie, Accept-Language', ...more },
    isFile: true,
  });
  const own = /(?:^|;\s*)lang=(\w+)/.exec(cookie)?.[1] ?? /^\s*(\w{2})/.exec(accepted)?.[1] ?? 'en';
  const code = codes.includes(own) ? own : 'en';
  if (path === '/') return to(`/${code}/`);
  const [, slug] = /^\/go\/(.+)$/.exec(path) ?? [];
  if (slug !== undefined) return to(`/${code}/${slug}`);
  const [, chosen, page] = /^\/language\/(\w+)\?return=(.*)$/.exec(path) ?? [];
  if (chosen === undefined || page === undefined) return undefined;
  return to(`/${chosen}/${decodeURIComponent(page)}`, { 'set-cookie': `lang=${chosen}; Path=/; Max-Age=31536000` });
}
