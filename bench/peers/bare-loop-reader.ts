// What the bare loop does with a page: finds its links with htmlparser2's tokens, converts it with mdream, keeps the result.
import { Tokenizer } from 'htmlparser2';
import { htmlToMarkdown } from './mdream.ts';

/** Which attribute of an element leads to a page. */
const leadingAttributes: Readonly<Record<string, string>> = { a: 'href', area: 'href', iframe: 'src', frame: 'src' };

export class PageReader {
  readonly #markdown = new Map<string, string>();
  readonly #seen = new Set<string>();
  /** As the pages write them, with the folder that they stand in: most need not be resolved twice. */
  readonly #references = new Set<string>();

  /** Answers with the site's URLs that no page before had, without fragments. */
  read(url: string, body: Buffer): string[] {
    const html = body.toString();
    this.#markdown.set(url, htmlToMarkdown(html, url));
    const folder = url.slice(0, url.lastIndexOf('/') + 1);
    const { origin } = new URL(url);
    const found: string[] = [];
    for (const reference of referencesIn(html)) {
      const inFolder = folder + reference;
      if (this.#references.has(inFolder)) continue;
      this.#references.add(inFolder);
      const target = URL.parse(reference.replaceAll('&amp;', '&'), url);
      if (target?.origin !== origin || this.#seen.has(target.href)) continue;
      this.#seen.add(target.href);
      found.push(target.href);
    }
    return found;
  }
}

/** As they are written, without fragments, each once. */
function referencesIn(html: string): Set<string> {
  const references = new Set<string>();
  let leading: string | undefined;
  let isLeading = false;
  const ignore = (): void => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (start, end) => {
        leading = end - start > 6 ? undefined : leadingAttributes[html.slice(start, end).toLowerCase()];
      },
      onattribname: (start, end) => {
        isLeading = leading?.length === end - start && html.slice(start, end).toLowerCase() === leading;
      },
      onattribdata: (start, end) => {
        if (!isLeading) return;
        const reference = html.slice(start, end);
        const fragment = reference.indexOf('#');
        if (fragment !== 0) references.add(fragment === -1 ? reference : reference.slice(0, fragment));
      },
      onattribend: ignore,
      onattribentity: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return references;
}
