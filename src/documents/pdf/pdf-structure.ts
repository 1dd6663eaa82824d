/**
 * The tags of a file that browsers, Word and others write: which text is a heading, a list item, a cell. They add to
 * what positions show; the order of the file stays.
 */

/** The tagged elements that a text belongs to. Elements are compared by identity. */
export interface Tags {
  readonly heading?: { readonly level: number };
  readonly item?: object;
  /** True for the bullet or number of the item. */
  readonly isLabel?: boolean;
  readonly cell?: Cell;
}

export interface Cell {
  readonly table: object;
  readonly row: object;
}

/** A text item of pdf.js. */
export interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly width: number;
  readonly height: number;
  readonly fontName: string;
  /** The first two numbers give the direction of the text, the last two its position. */
  readonly transform: readonly number[];
  readonly tags?: Tags;
}

/** Depth of elements that is read, and elements of a page. */
const depthMax = 60;
const elementsMax = 50_000;

/** `root` is the structure tree that pdf.js returns for a page. The keys are ids of marked content. */
export function tagsOf(root: unknown): ReadonlyMap<string, Tags> {
  const tags = new Map<string, Tags>();
  let elements = 0;
  const read = (node: unknown, outer: Tags & Partial<Cell>, depth: number): void => {
    if (typeof node !== 'object' || node === null || depth > depthMax || ++elements > elementsMax) return;
    const { type, id, role, children } = node as Readonly<Record<string, unknown>>;
    if (type === 'content' && typeof id === 'string') tags.set(id, outer);
    if (typeof role !== 'string' || !Array.isArray(children)) return;
    const inner = { ...outer, ...tagsOfRole(role, outer) };
    for (const child of children as unknown[]) read(child, inner, depth + 1);
  };
  read(root, {}, 0);
  return tags;
}

function tagsOfRole(role: string, { table, row }: Partial<Cell>): Tags & Partial<Cell> {
  if (/^H[1-6]$/.test(role)) return { heading: { level: Number(role[1]) } };
  if (role === 'LI') return { item: {}, isLabel: false };
  if (role === 'Lbl') return { isLabel: true };
  if (role === 'Table') return { table: {} };
  if (role === 'TR') return { row: {} };
  return (role === 'TD' || role === 'TH') && table && row ? { cell: { table, row } } : {};
}

/** Returns the texts among items of pdf.js, each with the tags of the innermost marked content around it. */
export function taggedItems(items: readonly unknown[], tags: ReadonlyMap<string, Tags>): TextItem[] {
  const open: (Tags | undefined)[] = [];
  return items.flatMap((item): TextItem[] => {
    if (typeof item !== 'object' || item === null) return [];
    if ('str' in item) {
      const inner = open.at(-1);
      return [inner ? { ...(item as TextItem), tags: inner } : (item as TextItem)];
    }
    const { type, id } = item as Readonly<Record<string, unknown>>;
    if (type === 'endMarkedContent') open.pop();
    else open.push((typeof id === 'string' ? tags.get(id) : undefined) ?? open.at(-1));
    return [];
  });
}
