/** The outline of a file: its headings, wherever they stand on its pages. */
const entriesMax = 5_000;
const depthMax = 20;

export interface Outline {
  /** The level of the heading that has this text, one to six. Each entry is taken once. */
  take(text: string): number | undefined;
}

/** `root` is what pdf.js reads; anything else has no entries. */
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

/** Before a heading, often not in the outline. */
const number = /^\s*(?:(?:chapter|section|appendix|part)\s+)?(?:[\dA-Z]{1,3}(?:\.\d{1,3}){0,5}\.?|[IVX]{1,5}\.)\s+/iu;

function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\s\u00ad.:]+/g, '')
    .toLowerCase();
}
