/** The JSON-LD of a page as a flat list of things, within bounds. No context is loaded: names count as schema.org's. */
import type { Element } from 'domhandler';
import { isText } from 'domhandler';

/** Something that a page says about itself or what it shows. */
export interface Thing {
  /** Names of schema.org without their prefix, at least one. */
  readonly types: readonly string[];
  /** Values by name; {@link Things.follow} resolves those that only refer to another thing. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Things {
  /** In document order: what stands at the top of a script, in lists and graphs, and the main entity of a page. */
  readonly all: readonly Thing[];
  /** The thing that a value such as `{"@id": "#author"}` refers to, else the value itself. */
  readonly follow: (value: unknown) => unknown;
}

const scriptsMax = 20;
/** Characters of all scripts together. The largest of real pages had 120,000. */
export const charactersMax = 500_000;
const thingsMax = 500;
/** Of lists, graphs and main entities in each other. */
const depthMax = 6;

export const noThings: Things = { all: [], follow: (value) => value };

/** Whatever cannot be read is left out, and costs no other. */
export function readJsonLd(scripts: readonly Element[]): Things {
  if (scripts.length === 0) return noThings;
  const all: Thing[] = [];
  const byId = new Map<string, Readonly<Record<string, unknown>>>();
  let characters = 0;
  for (const script of scripts.slice(0, scriptsMax)) {
    const text = script.children.map((node) => (isText(node) ? node.data : '')).join('');
    characters += text.length;
    if (characters > charactersMax) break;
    collect(parse(text), 0);
  }
  return {
    all,
    follow: (value) =>
      isRecord(value) && typeof value['@id'] === 'string' ? (byId.get(value['@id']) ?? value) : value,
  };

  function collect(value: unknown, depth: number): void {
    if (depth > depthMax || all.length >= thingsMax) return;
    if (Array.isArray(value)) {
      for (const item of value) collect(item, depth + 1);
      return;
    }
    if (!isRecord(value)) return;
    const types = typesOf(value['@type']);
    if (types.length > 0) {
      all.push({ types, values: value });
      const id = value['@id'];
      // What only refers to a thing has nothing else to say.
      if (typeof id === 'string' && !byId.has(id)) byId.set(id, value);
    }
    for (const name of ['@graph', 'mainEntity', 'mainEntityOfPage']) collect(value[name], depth + 1);
  }
}

/** As strict as JSON is, but for what templates do to it: wrappers for old browsers, and line ends inside of strings. */
function parse(text: string): unknown {
  for (const attempt of [() => text, () => unwrapped(text)]) {
    try {
      return JSON.parse(attempt());
    } catch {
      // Half of JSON says nothing that can be relied on.
    }
  }
  return undefined;
}

/** From the first object to the end of the last, or from the list that they are in. */
function unwrapped(text: string): string {
  const start = text.search(/\{|(?<!CDATA)\[(?=\s*\{)/);
  const end = text.lastIndexOf('}');
  const whole = text.slice(start, text[start] === '[' ? text.indexOf(']', end) + 1 : end + 1);
  // oxlint-disable-next-line no-control-regex
  return whole.replace(/[\0-\x1f]+/g, ' ');
}

function typesOf(value: unknown): string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return names
    .slice(0, 10)
    .flatMap((name) =>
      typeof name === 'string' ? [name.slice(0, 200).replace(/^(?:https?:\/\/schema\.org\/|schema:)/, '')] : [],
    )
    .filter((name) => name !== '');
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
