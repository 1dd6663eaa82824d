// Reads the lists of a Word file (ECMA-376, part 1, 17.9), and counts their items.
import { type ItemLabel, ListLabels, type ListLevel, listLevelsMax } from '../parts/list-labels.ts';
import { readXml } from '../parts/read-xml.ts';
import { isOn } from './docx-marks.ts';

interface Definition {
  readonly levels: ListLevel[];
  /** Levels of styles of paragraphs, such as headings. */
  readonly styleLevels: Map<string, number>;
  /** The name of the style that has its levels instead. */
  linkedTo: string | undefined;
}

interface List {
  definition: string;
  /** Starts of levels at which this list starts to count again, by level. */
  readonly restarts: Map<number, number>;
  readonly levels: Map<number, ListLevel>;
  /** The levels of the definition with its own, once they are needed. */
  all?: readonly ListLevel[];
}

const decimal: ListLevel = { format: 'decimal', text: '', start: 1 };
const bullet: ListLevel = { format: 'bullet', text: '•', start: 1 };

export class DocxLists {
  readonly #definitions = new Map<string, Definition>();
  readonly #lists = new Map<string, List>();
  /** Definitions by the style that links to them. */
  readonly #styles = new Map<string, string>();
  readonly #labels = new ListLabels();
  readonly #begun = new Set<string>();

  constructor(xml: Uint8Array | undefined) {
    if (xml) this.#read(xml);
  }

  /** The level that the list gives to paragraphs of a style. */
  levelOf(listId: string, styleId: string): number | undefined {
    return this.#definitionOf(this.#lists.get(listId))?.styleLevels.get(styleId);
  }

  /** Counts an item. Lists of one definition count on, as Word does, unless one of them starts again. */
  next(listId: string, level: number): ItemLabel {
    const list = this.#lists.get(listId);
    const definition = this.#definitionOf(list);
    if (!list || !definition) return { kind: 'ul', number: 1, shown: '', text: '' };
    if (!this.#begun.has(listId)) {
      this.#begun.add(listId);
      for (const [at, start] of list.restarts) this.#labels.restart(list.definition, at, start);
    }
    list.all ??= Array.from(
      { length: listLevelsMax },
      (_, at) => list.levels.get(at) ?? definition.levels[at] ?? bullet,
    );
    return this.#labels.next(list.definition, list.all, level);
  }

  #definitionOf(list: List | undefined): Definition | undefined {
    const own = this.#definitions.get(list?.definition ?? '');
    const linked = own?.linkedTo === undefined ? undefined : this.#styles.get(own.linkedTo);
    return linked === undefined ? own : this.#definitions.get(linked);
  }

  #read(xml: Uint8Array): void {
    let definition: Definition | undefined;
    let definitionId = '';
    let list: List | undefined;
    let level = 0;
    let changed: ListLevel = decimal;
    const state = (change: Partial<ListLevel>): void => {
      changed = { ...changed, ...change };
      if (list) list.levels.set(level, changed);
      else if (definition) definition.levels[level] = changed;
    };
    const levelAt = (stated: string | undefined): number =>
      Math.min(Math.max(Math.trunc(Number(stated)) || 0, 0), listLevelsMax - 1);
    readXml(xml, {
      elements: {
        abstractNum: {
          open: ({ 'w:abstractNumId': id = '' }) => {
            definitionId = id;
            definition = { levels: [], styleLevels: new Map(), linkedTo: undefined };
            list = undefined;
            this.#definitions.set(id, definition);
          },
        },
        num: {
          open: ({ 'w:numId': id = '' }) => {
            list = { definition: '', restarts: new Map(), levels: new Map() };
            definition = undefined;
            this.#lists.set(id, list);
          },
        },
        lvl: {
          open: ({ 'w:ilvl': stated }) => {
            level = levelAt(stated);
            changed = decimal;
            state({ text: `%${level + 1}.` });
          },
        },
        lvlOverride: { open: ({ 'w:ilvl': stated }) => (level = levelAt(stated)) },
        styleLink: { open: ({ 'w:val': value = '' }) => this.#styles.set(value, definitionId) },
        numStyleLink: { open: ({ 'w:val': value = '' }) => definition && (definition.linkedTo = value) },
        abstractNumId: { open: ({ 'w:val': value = '' }) => list && (list.definition = value) },
        startOverride: { open: ({ 'w:val': value }) => list?.restarts.set(level, Number(value) || 0) },
        start: { open: ({ 'w:val': value }) => state({ start: Math.trunc(Number(value)) || 0 }) },
        numFmt: { open: ({ 'w:val': value = '' }) => state({ format: value }) },
        isLgl: { open: ({ 'w:val': value }) => state({ isLegal: isOn(value) }) },
        lvlText: { open: ({ 'w:val': value = '' }) => state({ text: value }) },
        pStyle: { open: ({ 'w:val': value = '' }) => definition?.styleLevels.set(value, level) },
      },
    });
  }
}
