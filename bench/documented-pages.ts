// Pages of documentations that programs wrote, as Debian packages them, with what their file names and a few patterns of each say: a
// truth that learning did not see.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface Documentation {
  readonly name: string;
  readonly schema: object;
  readonly pages: readonly {
    readonly url: string;
    readonly html: string;
    readonly truth: Readonly<Record<string, string | null>>;
  }[];
}

interface Kind {
  readonly files: string;
  readonly isPage: (file: string) => boolean;
  readonly truth: (file: string, html: string) => Readonly<Record<string, string | null>>;
}

const pagesMax = 60;
const text = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
const part = (html: string, pattern: RegExp): string | null => {
  const found = pattern.exec(html)?.[1];
  return found === undefined ? null : text(found);
};

const kinds: Readonly<Record<string, Kind>> = {
  javadoc: {
    files: 'openjdk-17-jre-headless/api/java.base/java/**/[A-Z]*.html',
    isPage: (file) => !file.includes('class-use'),
    truth: (file, html) => ({
      name: path.basename(file, '.html'),
      package: path.dirname(file).split('/java.base/')[1]?.replaceAll('/', '.') ?? null,
      since: part(
        /<section class="class-description".*?<\/section>/s.exec(html)?.[0] ?? '',
        /<dt>Since:<\/dt>\s*<dd>(.*?)<\/dd>/s,
      ),
    }),
  },
  rustdoc: {
    files: 'rust-doc/html/std/**/{struct,enum,trait,fn,macro}.*.html',
    isPage: () => true,
    truth: (file, html) => ({
      name: path.basename(file, '.html').split('.')[1] ?? null,
      module: path.dirname(file).split('/html/')[1]?.replaceAll('/', '::') ?? null,
      since: part(html.slice(0, html.indexOf('item-decl')), /class="since"[^>]*>([\d.]+)</),
    }),
  },
  python: {
    files: 'python3*/html/library/*.html',
    isPage: () => true,
    truth: (_, html) => ({
      title: part(html, /<h1>(.*?)<a class="headerlink"/s),
      source: part(html, /Source code:<\/strong> <a [^>]*>(.*?)<\/a>/),
    }),
  },
};

export function documentations(folder: string): readonly Documentation[] {
  return Object.entries(kinds).map(([name, { files, isPage, truth }]) => {
    const isWhole = (file: string): boolean =>
      !readFileSync(path.join(folder, file), 'utf8').includes('http-equiv="refresh"');
    const all = globSync(files, { cwd: folder })
      .filter((file) => isPage(file) && isWhole(file))
      .toSorted();
    if (all.length < pagesMax) throw new Error(`There are only ${all.length} pages of ${name} in ${folder}.`);
    const pages = Array.from({ length: pagesMax }, (_, at) => {
      const file = all[Math.floor((at * all.length) / pagesMax)] ?? '';
      const html = readFileSync(path.join(folder, file), 'utf8');
      return { url: `https://docs.example/${file}`, html, truth: truth(file, html) };
    });
    const names = Object.keys(pages[0]?.truth ?? {});
    const schema = { type: 'object', properties: Object.fromEntries(names.map((one) => [one, { type: 'string' }])) };
    return { name, schema, pages };
  });
}
