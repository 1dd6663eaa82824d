// How the peers in JavaScript make Markdown of a page, each as its documentation says. Used by their crawls, and to score their texts.
import { Readability } from '@mozilla/readability';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { gfm } from 'turndown-plugin-gfm';

export interface Extracted {
  readonly title: string;
  readonly text: string;
}

/** What linkedom makes of a page. It is changed by the extraction. */
export type PageDocument = ReturnType<typeof parseHTML>['document'];

export type ContentExtractor = (document: PageDocument, url: string) => Promise<Extracted>;

/** What is needed of Cheerio, whose types differ by how it is loaded. */
type Selecting = (selector: string) => { remove(): unknown; html(): string | null };

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
turndown.use(gfm);

export const contentExtractors: Readonly<Record<'readability' | 'defuddle', ContentExtractor>> = {
  // oxlint-disable-next-line typescript/require-await -- as the other one is
  async readability(document) {
    const article = new Readability(document).parse();
    return { title: article?.title ?? '', text: turndown.turndown(article?.content ?? '') };
  },
  async defuddle(document, url) {
    // Without `useAsync: false` it asks services of third parties about pages that it knows.
    const { title, content } = await Defuddle(document, url, { markdown: true, useAsync: false });
    return { title, text: content };
  },
};

/** From HTML, where no crawler has parsed it before. */
export function extractFrom(html: string, url: string, extract: ContentExtractor): Promise<Extracted> {
  return extract(parseHTML(html).document, url);
}

/** Everything but what is surely no content, as the example that most crawls with Cheerio begin with. */
export function withoutNavigation($: Selecting): string {
  $('nav, header, footer, script, style, noscript, svg').remove();
  return turndown.turndown($('body').html() ?? '');
}
