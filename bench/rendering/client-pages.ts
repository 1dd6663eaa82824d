// Pages that are written by scripts, with the frameworks that the web uses.
import { frameworkPages } from './framework-pages.ts';
import type { TestPage } from './page.ts';
import { reactAndVuePages } from './react-and-vue-pages.ts';
import { scriptPages } from './script-pages.ts';

export const clientPages: readonly TestPage[] = [...reactAndVuePages, ...frameworkPages, ...scriptPages];
