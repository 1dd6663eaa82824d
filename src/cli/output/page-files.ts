import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OutputFormat } from '../../core/job.ts';
import type { Screenshot } from '../../core/page.ts';
import type { PageJson } from '../../page/decode.ts';
import type { FrontMatter } from '../../page/front-matter.ts';
import { PageFileNames } from '../../page/page-file.ts';
import { OutputError } from './output-error.ts';

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

  /** Also writes the picture, under the same name with its own ending. Rejects with an {@link OutputError}. */
  async write(page: PageJson, screenshot?: Screenshot): Promise<void> {
    const { name, content } = this.#names.fileOf(page);
    const file = path.join(this.#directory, name);
    this.#hosts.add(name.slice(0, name.indexOf('/')));
    await written(file, content);
    if (!screenshot) return;
    const ending = screenshot.type === 'image/png' ? '.png' : '.jpg';
    await written(file.slice(0, -path.extname(file).length) + ending, screenshot.bytes);
  }
}

async function written(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  } catch (error) {
    throw new OutputError(file, error);
  }
}
