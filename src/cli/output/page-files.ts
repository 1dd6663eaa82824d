import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OutputFormat } from '../../core/job.ts';
import type { PageJson } from '../../page/decode.ts';
import type { FrontMatter } from '../../page/front-matter.ts';
import { PageFileNames } from '../../page/page-file.ts';

/**
 * Writes one file per page, `DIRECTORY/HOST/PATH.md`. Writing the same pages again, in the same order, gives the same
 * names.
 */
export class PageFiles {
  readonly #directory: string;
  readonly #names: PageFileNames;
  readonly #hosts = new Set<string>();

  constructor(directory: string, format: OutputFormat, frontMatter: FrontMatter) {
    this.#directory = directory;
    this.#names = new PageFileNames(format, frontMatter);
  }

  /** The directories written to, one per host. */
  get directories(): readonly string[] {
    return [...this.#hosts].map((host) => path.join(this.#directory, host));
  }

  async write(page: PageJson): Promise<void> {
    const { name, content } = this.#names.fileOf(page);
    const file = path.join(this.#directory, name);
    this.#hosts.add(name.slice(0, name.indexOf('/')));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
