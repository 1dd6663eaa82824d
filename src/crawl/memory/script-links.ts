/** Finds forms of links that only scripts made and that the site does not have. Pure: it only remembers. */

import type { EndedTemplate } from '../../core/ports/frontier.ts';
import { urlTemplates } from '../../url/url-template.ts';

export interface ScriptLinksOptions {
  /** Links of a form that led to 404 and end it, if the site served none. @default 10 */
  readonly deadMax?: number;
  /** Forms watched per job, at most as long as a URL each. Further ones are never ended. @default 1000 */
  readonly formsMax?: number;
  /** Jobs watched. The one that was watched first is forgotten. @default 100 */
  readonly jobsMax?: number;
}

interface Evidence {
  dead: number;
  isServed: boolean;
}

/**
 * Scripts make URLs up: of words that they mistake for names, of paths that they join wrongly. A form is ended by ten
 * such URLs that are 404, unless the site served one of the form before. So an application whose links are all made by
 * scripts is crawled as any other.
 *
 * A URL has two forms: its template (`a.example:443/p/#`), and its directory (`a.example:443/p/*`), because names differ
 * in more than numbers. Forgetting errs toward crawling: what is not watched is not ended, and after a new start ten
 * more links are tried. The store keeps what has ended. The caller must pass links of scripts only.
 */
export class ScriptLinks {
  readonly #deadMax: number;
  readonly #formsMax: number;
  readonly #jobsMax: number;
  readonly #jobs = new Map<string, Map<string, Evidence>>();

  constructor({ deadMax = 10, formsMax = 1_000, jobsMax = 100 }: ScriptLinksOptions = {}) {
    this.#deadMax = deadMax;
    this.#formsMax = formsMax;
    this.#jobsMax = jobsMax;
  }

  /** Call as soon as the site serves a URL: others may be 404 before its page is rendered. */
  served(jobId: string, url: URL): void {
    for (const evidence of this.#evidenceOf(jobId, url).values()) evidence.isServed = true;
  }

  /** Call with each URL that is 404. Returns the form that it ended. */
  dead(jobId: string, url: URL): EndedTemplate | undefined {
    let ended: EndedTemplate | undefined;
    for (const [template, evidence] of this.#evidenceOf(jobId, url)) {
      evidence.dead += 1;
      if (evidence.dead === this.#deadMax && !evidence.isServed)
        ended = { template, pages: evidence.dead, byScript: true };
    }
    return ended;
  }

  /** The form of a URL that this process has ended. */
  endedForm(jobId: string, url: URL): string | undefined {
    const watched = this.#jobs.get(jobId);
    return formsOf(url).find((form) => {
      const { dead, isServed } = watched?.get(form) ?? { dead: 0, isServed: false };
      return dead >= this.#deadMax && !isServed;
    });
  }

  #evidenceOf(jobId: string, url: URL): ReadonlyMap<string, Evidence> {
    const watched = this.#jobs.get(jobId) ?? new Map<string, Evidence>();
    if (!this.#jobs.has(jobId)) this.#addJob(jobId, watched);
    const found = new Map<string, Evidence>();
    for (const form of formsOf(url)) {
      const evidence = watched.get(form) ?? { dead: 0, isServed: false };
      if (!watched.has(form) && watched.size >= this.#formsMax) continue;
      watched.set(form, evidence);
      found.set(form, evidence);
    }
    return found;
  }

  #addJob(jobId: string, watched: Map<string, Evidence>): void {
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size >= this.#jobsMax && oldest !== undefined) this.#jobs.delete(oldest);
    this.#jobs.set(jobId, watched);
  }
}

/** The narrower form comes first. */
export function formsOf(url: URL): readonly [template: string, directory: string] {
  const { fine } = urlTemplates(url);
  const path = fine.split('?', 1)[0] ?? fine;
  return [fine, `${path.slice(0, path.lastIndexOf('/'))}/*`];
}
