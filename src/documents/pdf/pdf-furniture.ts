/** Removes running heads, running feet and page numbers: text that three pages have in one place. */
import type { Segment } from './pdf-segments.ts';

/** Lines checked at the top and at the bottom of each page. */
const linesMax = 3;
const pagesMin = 3;
const lengthMax = 300;

/**
 * Returns the pages without repeated lines. A repeated heading stays on the first of its pages. Returns the pages
 * unchanged if nothing else would be left.
 */
export function withoutFurniture(pages: readonly Segment[][], usualSize: number): readonly (readonly Segment[])[] {
  if (pages.length < pagesMin) return pages;
  const edges = pages.map((segments) => edgesOf(segments));
  const counts = new Map<string, number>();
  for (const [index, edge] of edges.entries()) {
    const keys = new Set<string>();
    for (const [segment, side] of edge) for (const key of keysOf(segment, side, index)) keys.add(key);
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let before = new Set<string>();
  const kept = pages.map((segments, index) => {
    const headings = new Set<string>();
    const removed = new Set<Segment>();
    for (const [segment, side] of edges[index] ?? []) {
      if (!keysOf(segment, side, index).some((key) => (counts.get(key) ?? 0) >= pagesMin)) continue;
      if (segment.size > usualSize * 1.15) {
        headings.add(segment.text);
        if (!before.has(segment.text)) continue;
      }
      removed.add(segment);
    }
    before = headings;
    return removed.size === 0 ? segments : segments.filter((segment) => !removed.has(segment));
  });
  return kept.every((segments) => segments.length === 0) ? pages : kept;
}

type Edge = readonly (readonly [segment: Segment, side: 'top' | 'bottom'])[];

function edgesOf(segments: readonly Segment[]): Edge {
  const upright = segments.filter(({ angle }) => angle === 0);
  const heights = [...new Set(upright.map(({ y }) => Math.round(y)))].toSorted((one, other) => other - one);
  const tops = new Set(heights.slice(0, linesMax));
  const bottoms = new Set(heights.slice(-linesMax));
  return upright.flatMap((segment): Edge => {
    const height = Math.round(segment.y);
    if (segment.text.length > lengthMax) return [];
    if (tops.has(height)) return [[segment, 'top']];
    return bottoms.has(height) ? [[segment, 'bottom']] : [];
  });
}

/**
 * Keys of a segment: its words and place, and the same with its first or last number minus the page index, which makes
 * all page numbers equal.
 */
function keysOf({ text, y, size }: Segment, side: string, page: number): string[] {
  const place = `${side} ${Math.round(y / 3)} ${Math.round(size)}`;
  const words = text.trim();
  const numbers = [...words.matchAll(/\d{1,6}|\b[ivxlc]{1,8}\b/g)];
  const keys = [`${place} ${words}`];
  for (const number of new Set([numbers[0], numbers.at(-1)])) {
    if (!number) continue;
    const value = /\d/.test(number[0]) ? Number(number[0]) : romanValue(number[0]);
    keys.push(
      `${place} ${words.slice(0, number.index)}#${value - page}${words.slice(number.index + number[0].length)}`,
    );
  }
  return keys;
}

const romans: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanValue(text: string): number {
  const digits = Array.from(text, (letter) => romans[letter] ?? 0);
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0);
}
