/** The outline of a file: its headings, wherever they stand on the pages. */
const entriesMax = 5_000;
const depthMax = 20;

export interface Outline {
  /** Returns the level, 1 to 6, of the heading with this text. Each entry is used once. */
  take(text: string): number | undefined;
}

/** `root` is the outline that pdf.js returns. Any other value has no entries. */
export function outlineOf(root: unknown): Outline {
  const levels = new Map<string, number[]>();
  let entries = 0;
  const add = (list: unknown, depth: number): void => {
    if (!Array.isArray(list) || depth > depthMax) return;
    for (const entry of list as unknown[]) {
      if (typeof entry !== 'object' || entry === null || ++entries > entriesMax) return;
      const { title, items } = entry as Readonly<Record<string, unknown>>;
      if (typeof title === 'string' && keyOf(title) !== '') {
        levels.set(keyOf(title), [...(levels.get(keyOf(title)) ?? []).slice(0, 100), Math.min(depth, 6)]);
      }
      add(items, depth + 1);
    }
  };
  add(root, 1);
  return {
    take(text) {
      if (levels.size === 0) return undefined;
      const known = levels.get(keyOf(text)) ?? levels.get(keyOf(text.replace(number, '')));
      return known?.shift();
    },
  };
}

/** A number before a heading, often missing in the outline. */
const number = /^\s*(?:(?:chapter|section|appendix|part)\s+)?(?:[\dA-Z]{1,3}(?:\.\d{1,3}){0,5}\.?|[IVX]{1,5}\.)\s+/iu;

function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\s\u00ad.:]+/g, '')
    .toLowerCase();
}
