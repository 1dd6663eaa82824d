// What a careful reader would hold of a site after each night: written apart from the service's own rules.
import assert from 'node:assert/strict';
import { type BadNight, type NightSite, vagueNights } from './night-site.ts';

export class SiteModel {
  /** HTML by the path at which the page is now. */
  pages = new Map<string, string>();
  /** Pages that seemed to be gone the last time, together with too many others. */
  #held = new Set<string>();
  /** Before a night of which nobody can say what was read. */
  #before = new Map<string, string>();
  #tonight = new Map<string, string>();
  #gone = new Set<string>();

  /** Pages seemed to be gone, together with too many others, and it is not known yet whether they are. */
  get holdsPages(): boolean {
    return this.#held.size > 0;
  }

  pass(site: NightSite, bad: BadNight): void {
    const known = new Map(Array.from(this.pages, ([path, html]) => [site.nowAt(path), html]));
    const held = new Set(Array.from(this.#held, (path) => site.nowAt(path)));
    if (vagueNights.has(bad)) {
      this.#before = known;
      site.begin('none');
      this.#tonight = pagesOf(site, site.paths);
      this.#gone = new Set([...known.keys()].filter((path) => site.answerTo(path).kind === 'gone'));
      this.pages = known;
      // What seemed to be gone before, and is not read tonight, is removed when it is gone tomorrow.
      this.#held = held;
      return;
    }
    const gone = [...known.keys()].filter((path) => bad === 'robots' || site.answerTo(path).kind === 'gone');
    const sudden = gone.filter((path) => !held.has(path));
    const isTooMuch = sudden.length > known.size / 2;
    const read = pagesOf(site, site.paths);
    for (const path of gone) {
      if (isTooMuch && !held.has(path)) held.add(path);
      else known.delete(path);
    }
    for (const [path, html] of read) {
      held.delete(path);
      known.set(path, html);
    }
    this.pages = known;
    this.#held = new Set([...held].filter((path) => known.has(path)));
  }

  /** No page is lost that is still there, and none is other than it was or is; one can say that the site will be back. */
  async checkVague(
    copied: ReadonlyMap<string, string>,
    textOf: (path: string, html: string) => Promise<string>,
    where: string,
  ): Promise<void> {
    const strange: string[] = [];
    for (const [path, text] of copied) {
      const possible = [this.#before.get(path), this.#tonight.get(path)].filter((html) => html !== undefined);
      const texts = await Promise.all(possible.map((html) => textOf(path, html)));
      if (!texts.includes(text)) strange.push(`${path}: ${text}`);
    }
    assert.ok(strange.length <= 1, `${where}: ${strange.join('\n')}`);
    const lost = [...this.#before.keys()].filter((path) => !copied.has(path) && !this.#gone.has(path));
    assert.deepEqual(lost, [], `lost, ${where}`);
  }
}

function pagesOf(site: NightSite, paths: readonly string[]): Map<string, string> {
  return new Map(
    paths.flatMap((path) => {
      const answer = site.answerTo(path);
      return answer.kind === 'page' ? [[path, answer.html] as const] : [];
    }),
  );
}
