// A gallery whose pages have the same words, and another picture each.
import { anchor, page } from './html.ts';
import { type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { chunks, marker, prose, range } from './words.ts';

export const imageGallery: SiteModule = {
  name: 'image-gallery',
  resembles:
    'A gallery: /photo/N with the same words everywhere and a picture of its own, linked to the one before and after.',
  build,
};

const perPage = 40;

function build(size: Size): Site {
  const plan = new SitePlan();
  // More than the 100 pages without a new word that end a template.
  const photos = range(size === 'small' ? 140 : 400);
  const photoPath = (photo: number): string => `/photo/${photo + 1}`;
  const pages = chunks(photos, perPage);
  const listPath = (index: number): string => `/gallery?page=${index + 1}`;
  plan.robots(['User-agent: *', 'Disallow: /upload']);
  plan.control('/sitemap.xml', { status: 404 });
  plan.page(
    '/',
    page({
      title: 'Pictures',
      main: `<h1>Pictures</h1><p>${prose('gallery', 3)} ${marker('gallery')}.</p>${anchor(listPath(0), 'Gallery')}`,
    }),
    marker('gallery'),
  );
  for (const [index, part] of pages.entries()) {
    const has = marker(listPath(index));
    const thumbs = part.map((photo) =>
      anchor(photoPath(photo), `<img src="/thumbs/${numberOf(photo)}.jpg" alt="Photo" width="150" height="100">`),
    );
    const next = index + 1 < pages.length ? anchor(listPath(index + 1), 'Next', 'rel="next"') : '';
    plan.page(
      listPath(index),
      page({
        title: 'Gallery',
        main: `<h1>Gallery</h1><p>${prose(listPath(index), 2)} ${has}.</p><div class="grid">${thumbs.join('\n')}</div>${next}`,
      }),
      has,
    );
  }
  for (const photo of photos) {
    const source = `/images/photo-${numberOf(photo)}.jpg`;
    const around = [
      ...(photo > 0 ? [anchor(photoPath(photo - 1), 'Previous', 'rel="prev"')] : []),
      ...(photo + 1 < photos.length ? [anchor(photoPath(photo + 1), 'Next', 'rel="next"')] : []),
    ];
    plan.page(
      photoPath(photo),
      page({
        title: 'Photo',
        head: `<meta property="og:image" content="{{origin}}${source}">`,
        main: `<h1>Photo</h1><figure><img src="${source}" alt="Photo" width="1200" height="800"><figcaption>A photograph of our collection.</figcaption></figure><p>All photographs may be printed, with the name of the collection.</p><div class="pager">${around.join(' ')}</div>`,
      }),
      source,
    );
  }
  return plan.site({ latencyMs: [5, 15] });
}

function numberOf(photo: number): string {
  return String(photo + 1).padStart(4, '0');
}
