/**
 * Reads a page's JSON-LD as a flat list of things, within limits. No context is loaded: all names count as
 * schema.org's.
 */
import type { Element } from 'domhandler';
import { isText } from 'domhandler';
import { readLenientJson } from './lenient-json.ts';

/** A thing that the page describes. */
export interface Thing {
  /** Names of schema.org without prefix, at least one. */
  readonly types: readonly string[];
  /** Values by name. {@link Things.follow} resolves references to other things. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Things {
  /** In document order: top-level things, items of lists and graphs, and main entities of pages. */
  readonly all: readonly Thing[];
  /** Returns the thing that a value such as `{"@id": "#author"}` refers to, otherwise the value itself. */
  readonly follow: (value: unknown) => unknown;
  /** Scripts that could not be read, or only in part. */
  readonly unreadable: number;
}

const scriptsMax = 100;
/** Limit for all scripts together. The largest real pages had 120,000. */
export const charactersMax = 500_000;
const thingsMax = 500;
/** Nesting of lists, graphs and main entities. */
const depthMax = 6;

export const noThings: Things = { all: [], follow: (value) => value, unreadable: 0 };

/** What is unreadable is skipped; the rest still counts. */
export function readJsonLd(scripts: readonly Element[]): Things {
  if (scripts.length === 0) return noThings;
  const all: Thing[] = [];
  const byId = new Map<string, Readonly<Record<string, unknown>>>();
  let characters = 0;
  let unreadable = 0;
  for (const [index, script] of scripts.entries()) {
    const text = script.children.map((node) => (isText(node) ? node.data : '')).join('');
    characters += text.length;
    if (text.trim() === '') continue;
    if (characters > charactersMax || index >= scriptsMax) {
      unreadable++;
      continue;
    }
    const { values, isCut } = readLenientJson(text);
    collect(values, 0);
    if (isCut) unreadable++;
  }
  return {
    all,
    follow: (value) =>
      isRecord(value) && typeof value['@id'] === 'string' ? (byId.get(value['@id']) ?? value) : value,
    unreadable,
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
      // A bare reference has no values of its own.
      if (typeof id === 'string' && !byId.has(id)) byId.set(id, value);
    }
    for (const name of ['@graph', 'mainEntity', 'mainEntityOfPage']) collect(value[name], depth + 1);
  }
}

export function typesOf(value: unknown): string[] {
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
