// A static site in a storage bucket: types that were never set, 403 with XML for missing keys, no directories.
import { list, page } from './html.ts';
import { type Site, type SiteAnswer, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, prose, range, title } from './words.ts';

export const storageBucket: SiteModule = {
  name: 'storage-bucket',
  resembles: 'A static site in a bucket: robots.txt and sitemap as binary/octet-stream, 403 with XML for missing keys.',
  build,
};

const bytes = 'binary/octet-stream';
const denied: SiteAnswer = {
  status: 403,
  type: 'application/xml',
  body: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>0</RequestId></Error>',
  isFile: true,
};

function build(size: Size): Site {
  const plan = new SitePlan();
  const count = size === 'small' ? 40 : 2_000;
  const pathOf = (index: number): string =>
    `/guide/${index % 7}/${title(`key ${index}`).replace(' ', '-')}-${index}.html`;
  plan.control('/robots.txt', {
    type: bytes,
    body: 'User-agent: *\nDisallow: /drafts/\nSitemap: {{origin}}/sitemap.xml\n',
  });
  plan.control('/sitemap.xml', {
    type: bytes,
    body: `<?xml version="1.0"?><urlset>${[...range(count), count].map((index) => `<url><loc>{{origin}}${pathOf(index)}</loc><lastmod>2026-03-0${1 + (index % 9)}</lastmod></url>`).join('')}</urlset>`,
  });
  const links = range(Math.min(count, 30)).map((index) => [pathOf(index), title(`key ${index}`)] as const);
  const odd = [
    // The index of a directory is a key; the directory is not.
    ['/guide', 'Guide'],
    ['/guide/', 'Guide'],
    ['/guide/index.html', 'Guide'],
    ['/Guide/index.html', 'Guide, wrongly'],
    ['/release%20notes.html', 'Release notes'],
    ['/drafts/next.html', 'Next'],
    ['/about', 'About, uploaded without a type'],
    ['/downloads/data.bin', 'Data'],
  ] as const;
  plan.copies(
    '/',
    ['/', '/index.html'],
    page({
      title: 'Handbook',
      main: `<h1>Handbook</h1><p>${prose('handbook', 3)} ${marker('handbook')}.</p>${list([...links, ...odd, ['/index.html', 'Start']])}`,
    }),
    marker('handbook'),
  );
  for (const index of range(count)) {
    const has = marker(pathOf(index));
    const next = pathOf((index + 1) % count);
    plan.page(
      pathOf(index),
      {
        body: page({
          title: title(`key ${index}`),
          main: `<h1>${title(`key ${index}`)}</h1><p>${prose(pathOf(index), 6)} ${has}.</p><p><a href="{{origin}}${next}">Next</a></p>`,
        }),
        type: 'text/html',
      },
      has,
    );
  }
  plan.page(
    '/guide/index.html',
    page({ title: 'Guide', main: `<h1>Guide</h1><p>${prose('guide', 3)} ${marker('guide')}.</p>` }),
    marker('guide'),
  );
  plan.page(
    '/release%20notes.html',
    page({ title: 'Release notes', main: `<h1>Release notes</h1><p>${prose('notes', 3)} ${marker('notes')}.</p>` }),
    marker('notes'),
  );
  // Pages beside them are served, so that they are asked for twice. Whether they exist, nobody but the owner knows.
  for (const path of ['/guide', '/guide/', '/Guide/index.html', pathOf(count)])
    plan.ends(path, 'http_403', denied, [1, 2]);
  plan.refused('/drafts/next.html', 'robots_disallowed');
  plan.ends('/about', 'content_type', { type: bytes, body: '<!doctype html><title>About</title><p>About us.</p>' });
  plan.ends('/downloads/data.bin', 'content_type', { type: bytes, body: new Uint8Array(1_000) });
  return plan.site({ latencyMs: [5, 15], noticesAllowed: ['failed_pages', 'not_public'] });
}
