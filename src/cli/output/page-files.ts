import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../../core/process/make-directory.ts';
import type { Screenshot } from '../../core/page.ts';
import type { PageJson } from '../../page/decode.ts';
import type { FrontMatter } from '../../page/front-matter.ts';
import { type FileFormat, PageFileNames } from '../../page/page-file.ts';
import { SavedPages } from '../../page/saved-pages.ts';
import { OutputError } from './output-error.ts';

/**
 * Writes one file per page, `DIRECTORY/HOST/PATH.md`. Writing the same pages again, in the same order, gives the same
 * names.
 */
export class PageFiles {
  readonly #directory: string;
  readonly #format: FileFormat;
  readonly #newNames: () => PageFileNames;
  readonly #names: PageFileNames;
  /** Undefined if links are not converted. */
  readonly #saved: SavedPages | undefined;
  readonly #hosts = new Set<string>();

  constructor(directory: string, format: FileFormat, frontMatter: FrontMatter, convertsLinks = false) {
    this.#directory = directory;
    this.#format = format;
    this.#newNames = () => new PageFileNames(format, frontMatter);
    this.#names = this.#newNames();
    this.#saved = convertsLinks && format !== 'json' ? new SavedPages(format) : undefined;
  }

  /** The directories written to, one per host. */
  get directories(): readonly string[] {
    return [...this.#hosts].map((host) => path.join(this.#directory, host));
  }

  /**
   * Also writes the picture, under the same name with its own ending, and further outputs, in a directory for each, such
   * as `HOST.raw/`. Rejects with an {@link OutputError}.
   */
  async write(page: PageJson, screenshot?: Screenshot): Promise<void> {
    const { name, content } = this.#names.fileOf(page);
    const file = path.join(this.#directory, name);
    this.#hosts.add(name.slice(0, name.indexOf('/')));
    this.#saved?.add(page.meta, name);
    await written(file, content);
    if (this.#format !== 'json') await this.#writeFormats(name, page);
    if (!screenshot) return;
    const ending = screenshot.type === 'image/png' ? '.png' : '.jpg';
    await written(file.slice(0, -path.extname(file).length) + ending, screenshot.bytes);
  }

  async #writeFormats(name: string, { formats = {} }: PageJson): Promise<void> {
    const [host = '', ...rest] = name.split('/');
    const stem = rest.join('/').slice(0, -path.extname(name).length);
    for (const [format, ending] of Object.entries(formatEndings)) {
      const value = formats[format as keyof typeof formatEndings];
      if (value === undefined) continue;
      // Never the name of a host.
      const directory = `${host}.${format}`;
      this.#hosts.add(directory);
      const content = typeof value === 'string' ? value : value.map((line) => `${line}\n`).join('');
      await written(path.join(this.#directory, directory, stem + ending), content);
    }
  }

  /**
   * Makes links between the written pages relative, as `wget --convert-links` does. `pages` are the same pages again, in
   * the same order: only when all of them are written is it known which links lead to files. Rejects with an
   * {@link OutputError}.
   */
  async convertLinks(pages: AsyncIterable<PageJson>): Promise<void> {
    const [saved, names] = [this.#saved, this.#newNames()];
    if (!saved) return;
    for await (const page of pages) {
      const name = names.nameOf(page);
      const linked = saved.withLocalLinks(page, name);
      if (linked.text !== page.text) await written(path.join(this.#directory, name), names.contentOf(linked));
    }
  }
}

const formatEndings = {
  markdown: '.md',
  html: '.html',
  text: '.txt',
  links: '.txt',
  images: '.txt',
  source: '.html',
} as const;

async function written(file: string, content: string | Uint8Array): Promise<void> {
  try {
    makeDirectory(path.dirname(file));
    await writeFile(file, content);
  } catch (error) {
    throw new OutputError(file, error);
  }
}
