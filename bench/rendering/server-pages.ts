// Pages that have their text without a browser, or have none at all; many look as if they needed one.
import { formAndPicturePages } from './form-and-picture-pages.ts';
import { hydratedPages } from './hydrated-pages.ts';
import type { TestPage } from './page.ts';
import { shortPages } from './short-pages.ts';

export const serverPages: readonly TestPage[] = [...hydratedPages, ...formAndPicturePages, ...shortPages];
