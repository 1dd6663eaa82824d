// What a careful reader would hold of a site after each night: written apart from the service's own rules.
import assert from 'node:assert/strict';
import { type BadNight, type NightSite, vagueNights } from './night-site.ts';

/** How many runs in a row found a page gone, as far as it can be said. */
interface Runs {
  readonly least: number;
  readonly most: number;
}

const confirmed = 2;
const sure = 10;
/** URLs of pages that have moved: whether they count for one page or for two depends on which was asked first. */
const slack = 8;

export class SiteModel {
  /** HTML by the path at which the page is now. */
  pages = new Map<string, string>();
  #gone = new Map<string, Runs>();
  /** Pages that are removed, or will be: the copy says it. */
  #open = new Set<string>();
  /** Before a night of which nobody can say what was read. */
  #before = new Map<string, string>();
  #tonight = new Map<string, string>();

  /** True if a copy may have the page, or not. */
  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  pass(site: NightSite, bad: BadNight): void {
    const known = new Map(Array.from(this.pages, ([path, html]) => [site.nowAt(path), html]));
    const before = new Map(Array.from(this.#gone, ([path, runs]) => [site.nowAt(path), runs]));
    this.pages = known;
    this.#open = new Set();
    const isVague = vagueNights.has(bad);
    if (isVague) {
      this.#before = new Map(known);
      site.begin('none');
      this.#tonight = pagesOf(site, site.paths);
    }
    const gone = [...known.keys()].filter((path) => bad === 'robots' || site.answerTo(path).kind === 'gone');
    this.#gone = new Map(
      [...known.keys()].flatMap((path): [string, Runs][] => {
        const { least, most } = before.get(path) ?? { least: 0, most: 0 };
        // That the site will be back is another kind of answer.
        if (gone.includes(path)) return [[path, { least: isVague ? 0 : least + 1, most: most + 1 }]];
        const isRead = site.answerTo(path).kind === 'page' && !isVague;
        return isRead || most === 0 ? [] : [[path, { least: 0, most }]];
      }),
    );
    const half = known.size / 2;
    for (const path of gone) {
      const { least, most } = this.#gone.get(path) ?? { least: 0, most: 0 };
      const isKept = most < confirmed || (most < sure && gone.length > half + slack);
      if (!isVague && least >= confirmed && gone.length <= half - slack) known.delete(path);
      else if (!isKept || isVague) this.#open.add(path);
    }
    if (!isVague) for (const [path, html] of pagesOf(site, site.paths)) known.set(path, html);
  }

  /** What a copy has is what the service holds. */
  settle(copied: ReadonlyMap<string, string>): void {
    for (const path of this.#open) if (!copied.has(path)) this.pages.delete(path);
    this.#open = new Set();
  }

  /** No page is lost that is still there, and none is other than it was or is; the first two can say that the site will be back. */
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
    assert.ok(strange.length <= 2, `${where}: ${strange.join('\n')}`);
    const lost = [...this.#before.keys()].filter((path) => !copied.has(path) && !this.#open.has(path));
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
