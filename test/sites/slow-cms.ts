// A content system that takes half a second for each page, on a server that gives robots.txt out at once.
import { list, page } from './html.ts';
import { type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, prose, range, title } from './words.ts';

export const slowCms: SiteModule = {
  name: 'slow-cms',
  resembles: 'A slow content system with numbers in its queries; its robots.txt is a file, and fast.',
  build,
};

const perSection = 8;

function build(size: Size): Site {
  const plan = new SitePlan();
  const count = size === 'small' ? 40 : 400;
  const pathOf = (id: number): string => `/index.php?option=com_content&view=article&id=${id}&Itemid=${200 + id}`;
  const sectionOf = (index: number): string => `/index.php?option=com_content&view=category&id=${index}`;
  const sections = range(count / perSection);
  plan.robots(['User-agent: *', 'Disallow: /administrator/', 'Disallow: /cache/']);
  plan.control('/sitemap.xml', { status: 404 });
  const menu = sections.slice(0, 8).map((index) => [sectionOf(index), `Section ${index}`] as const);
  plan.page(
    '/',
    page({
      title: 'Council',
      main: `<h1>Council</h1><p>${prose('council', 3)} ${marker('council')}.</p>${list(sections.map((index) => [sectionOf(index), title(`section ${index}`)]))}`,
      menu,
    }),
    marker('council'),
  );
  for (const index of sections) {
    const name = title(`section ${index}`);
    const links = range(perSection).map(
      (offset) => [pathOf(index * perSection + offset), title(`article ${index * perSection + offset}`)] as const,
    );
    const has = marker(sectionOf(index));
    plan.page(
      sectionOf(index),
      page({ title: name, main: `<h1>${name}</h1><p>${prose(sectionOf(index), 3)} ${has}.</p>${list(links)}`, menu }),
      has,
    );
  }
  for (const id of range(count)) {
    const name = title(`article ${id}`);
    const has = marker(pathOf(id));
    plan.page(
      pathOf(id),
      page({
        title: name,
        main: `<article><h1>${name}</h1><p>${prose(pathOf(id), 5)} ${has}.</p><p>${prose(`${id}`, 4)}</p></article>`,
        menu,
      }),
      has,
    );
  }
  // The host is slow and not strained, so it gets several requests at a time.
  return plan.site({ latencyMs: [300, 600], inFlightMin: 3 });
}
