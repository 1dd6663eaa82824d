// Detects that a user gave the URL of a part of a site, but the job crawled the whole site.
import type { JobSpec } from '../core/job.ts';
import { directoriesOf, isBelow } from '../url/scope.ts';

/** Counts the pages of a job that are below the directory of its start URL. */
export class PagesBelow {
  readonly #directories: ReturnType<typeof directoriesOf>;
  #pages = 0;
  #below = 0;

  constructor({ scope, urls }: Pick<JobSpec, 'scope' | 'urls'>) {
    const directories = scope === 'host' && urls.length === 1 ? directoriesOf({ scope: 'path', urls }) : [];
    this.#directories = directories.filter(({ path }) => path !== '/');
  }

  /** False if `add` need not be called, because the URL stands for the whole site or the job has another scope. */
  get isCounting(): boolean {
    return this.#directories.length > 0;
  }

  add(url: string): void {
    this.#pages++;
    if (isBelow(new URL(url), this.#directories)) this.#below++;
  }

  /** Set if most pages are elsewhere. */
  get hint(): { readonly below: number; readonly pages: number; readonly directory: string } | undefined {
    const [directory] = this.#directories;
    if (directory === undefined || this.#below * 2 >= this.#pages) return undefined;
    return { below: this.#below, pages: this.#pages, directory: directory.path };
  }
}
