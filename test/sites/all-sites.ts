import { aspNetShop } from './asp-net-shop.ts';
import { facetShop } from './facet-shop.ts';
import { forum } from './forum.ts';
import { gbkNews } from './gbk-news.ts';
import { imageGallery } from './image-gallery.ts';
import { languages } from './languages.ts';
import { membersArea } from './members-area.ts';
import { nineties } from './nineties.ts';
import type { SiteModule } from './site.ts';
import { slowCms } from './slow-cms.ts';
import { storageBucket } from './storage-bucket.ts';
import { townHall } from './town-hall.ts';
import { versionedDocs } from './versioned-docs.ts';
import { weatherArchive } from './weather-archive.ts';
import { wiki } from './wiki.ts';
import { wordpressBlog } from './wordpress-blog.ts';

/** In the order of the table that the runner prints. */
export const allSites: readonly SiteModule[] = [
  wordpressBlog,
  slowCms,
  storageBucket,
  aspNetShop,
  forum,
  facetShop,
  weatherArchive,
  gbkNews,
  wiki,
  versionedDocs,
  imageGallery,
  membersArea,
  languages,
  nineties,
  townHall,
];
