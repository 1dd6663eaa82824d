/** All rules of boxes, in the order in which they are asked, and what each is worth. */
import { attributeBits, isBare, knownAttributes } from '../html/nodes.ts';
import type { NameGroup } from '../measure/boilerplate-names.ts';
import type { PageKind } from '../measure/page-kind.ts';
import type { Asked } from './asked.ts';
import { hiddenDrops, hiddenShields } from './hidden-rules.ts';
import { landmarkDrops, landmarkShields, landmarks } from './landmark-rules.ts';
import { lineDrops } from './line-rules.ts';
import { menuDrops, menuShields } from './menu-rules.ts';
import { nameDrops, nameShields } from './name-rules.ts';
import type { Drop, Need, Shield } from './rule.ts';

const drops: readonly Drop[] = [...hiddenDrops, ...landmarkDrops, ...lineDrops, ...menuDrops, ...nameDrops];
const shields: readonly Shield[] = [...hiddenShields, ...landmarkShields, ...menuShields, ...nameShields];

/** A drop with the shields that can hold it off. */
interface Row {
  readonly drop: Drop;
  readonly shields: readonly Shield[];
}

/** What can be said about an element: of any name, then by the group of its names. */
interface Rows {
  readonly any: readonly Row[];
  /** Those of {@link any} for boxes with these needs; see {@link needsMetBy}. */
  readonly byNeeds: (readonly Row[] | undefined)[];
  readonly byGroup: ReadonlyMap<NameGroup | undefined, readonly Row[]>;
}

/** Headings, code and the parts of a table always stay, unless they are hidden. */
const keptElements: ReadonlySet<string> = new Set(
  'h1 h2 h3 h4 h5 h6 html body main article code table thead tbody tr td th'.split(' '),
);

/** The rules that can say anything about an element of a page. */
export class RuleTable {
  readonly #drops: readonly Drop[];
  readonly #shields: readonly Shield[];
  readonly #without: ReadonlySet<string>;
  readonly #rows: Record<PageKind, Map<string, Rows>> = {
    discussion: new Map(),
    product: new Map(),
    article: new Map(),
    other: new Map(),
  };

  readonly #note: (rule: string) => void;

  /** Without the rules of these names. `note` hears of each rule that decides about a box. */
  constructor(without: readonly string[] = [], note: (rule: string) => void = () => {}) {
    this.#without = new Set(without);
    this.#note = note;
    this.#drops = drops.filter(({ name }) => this.has(name));
    this.#shields = shields.filter(({ name }) => this.has(name));
  }

  has(rule: string): boolean {
    return !this.#without.has(rule);
  }

  /** Returns the name of the first drop that no shield holds off. */
  ruleAgainst(asked: Asked): string | undefined {
    const { any, byNeeds, byGroup } = this.#rowsFor(asked.element.name, asked.place.kind);
    const met = needsMetBy(asked);
    const rule = this.#firstOf((byNeeds[met] ??= any.filter(({ drop }) => isMet(drop, met))), asked);
    if (rule !== undefined || isBare(asked.element)) return rule;
    const { group } = asked;
    return group === undefined ? undefined : this.#firstOf(byGroup.get(group) ?? noRows, asked);
  }

  #firstOf(rows: readonly Row[], asked: Asked): string | undefined {
    for (const row of rows) {
      if (!this.#matches(row, asked)) continue;
      this.#note(row.drop.name);
      return row.drop.name;
    }
    return undefined;
  }

  #matches({ drop, shields: against }: Row, asked: Asked): boolean {
    if (!drop.when(asked)) return false;
    for (const shield of against) {
      if (!shield.when(asked)) continue;
      this.#note(shield.name);
      return false;
    }
    return true;
  }

  #rowsFor(name: string, kind: PageKind): Rows {
    const known = this.#rows[kind];
    let rows = known.get(name);
    if (rows === undefined) {
      const all = this.#drops
        .filter((drop) => isFor(drop, kind) && isAbout(drop, name))
        .map((drop) => ({ drop, shields: this.#shields.filter((shield) => holdsOff(shield, drop, kind, name)) }));
      const byGroup = Map.groupBy(all, ({ drop }) => drop.group);
      rows = { any: byGroup.get(undefined) ?? noRows, byNeeds: [], byGroup };
      byGroup.delete(undefined);
      // Pages make names up.
      if (known.size < namesMax) known.set(name, rows);
    }
    return rows;
  }
}

const namesMax = 1000;

/** A bit for each need. */
const needBits: Readonly<Record<Need, number>> = { role: 1, hiding: 2, heading: 4, links: 8 };
const roles = attributeBits('role');
const hiding = attributeBits('hidden', 'style', 'class');

function needsMetBy({ element, box }: Asked): number {
  const known = knownAttributes(element);
  return (
    ((known & roles) !== 0 || landmarks.has(element.name) ? needBits.role : 0) |
    ((known & hiding) !== 0 ? needBits.hiding : 0) |
    (box.opensWith !== undefined ? needBits.heading : 0) |
    (box.linkLength > 0 ? needBits.links : 0)
  );
}

function isMet({ needs }: Drop, met: number): boolean {
  return needs === undefined || (needBits[needs] & met) !== 0;
}

const noRows: readonly Row[] = [];

function isFor({ kinds }: Drop | Shield, kind: PageKind): boolean {
  return kinds === undefined || kinds.includes(kind);
}

function isAbout({ elements }: Drop, name: string): boolean {
  if (elements === undefined) return !keptElements.has(name);
  return elements === 'every' || elements.includes(name);
}

function holdsOff({ from, elements, kinds }: Shield, drop: Drop, kind: PageKind, name: string): boolean {
  if (kinds !== undefined && !kinds.includes(kind)) return false;
  const holds = from === 'all' ? drop.isStrict !== true : from.includes(drop.name);
  return holds && (elements === undefined || elements.includes(name));
}

/** All rules. */
export const ruleTable = new RuleTable();

/** Rules that look at more than one box, or at what is left when the content is chosen. */
export const furtherRules: readonly string[] = 'after-end line-numbers repeated-box bare closing-line'.split(' ');

export const ruleNames: readonly string[] = [...drops, ...shields].map(({ name }) => name).concat(furtherRules);
