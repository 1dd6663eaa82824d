/** Finds tables among the lines of a page: at least three rows whose cells stand in the same columns. */
import { joinedSpans, leaders, lineOf } from './pdf-lines.ts';
import { rightToLeft, type Segment, type Span } from './pdf-segments.ts';

export type Unit =
  | { readonly kind: 'line'; readonly segments: readonly Segment[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly Span[])[][] };

/** A row of a table. A cell is a list of its lines; cells are in the order of the file. */
interface Row {
  readonly cells: readonly (readonly Segment[])[];
  /** Position among the segments of the page. */
  readonly start: number;
  readonly end: number;
  readonly top: number;
  readonly bottom: number;
}

const rowsMin = 3;
/** Lines in one cell. */
const linesMax = 12;
const cellsMax = 40;

export function unitsOf(segments: readonly Segment[]): Unit[] {
  return runsOf(segments).flatMap((run) => {
    const rows = taggedRows(run);
    return rows ? [{ kind: 'table', rows }] : unitsByPosition(run);
  });
}

/** Parts a page where a tagged table begins or ends. */
function runsOf(segments: readonly Segment[]): Segment[][] {
  const runs: Segment[][] = [];
  for (const segment of segments) {
    const run = runs.at(-1);
    if (run && run[0]?.tags?.cell?.table === segment.tags?.cell?.table) run.push(segment);
    else runs.push([segment]);
  }
  return runs;
}

/** Longer cells are those of a layout. */
const cellLengthMax = 400;

function taggedRows(run: readonly Segment[]): (readonly Span[])[][] | undefined {
  if (!run[0]?.tags?.cell) return undefined;
  const rows = new Map<object, Map<object, Segment[]>>();
  for (const segment of run) {
    const cell = segment.tags?.cell;
    if (!cell) return undefined;
    const row = rows.get(cell.row) ?? new Map<object, Segment[]>();
    rows.set(cell.row, row);
    const lines = row.get(cell);
    if (lines) lines.push(segment);
    else row.set(cell, [segment]);
  }
  const cells = Array.from(rows.values(), (row) => [...row.values()]);
  const width = cells.reduce((most, row) => Math.max(most, row.length), 0);
  const letters = run.reduce((sum, { text }) => sum + text.length, 0);
  if (cells.length < 2 || width < 2 || letters > cells.length * width * cellLengthMax) return undefined;
  const columns = covered(cells.filter((row) => row.length === width));
  return cells.map((row) => {
    if (columns.length < width || row.length === width) return row.map(textOf);
    const placed = columns.map((): Segment[] => []);
    for (const cell of row) placed[columnOf(cell, columns)]?.push(...cell);
    return placed.map(textOf);
  });
}

function textOf(cell: readonly Segment[]): Span[] {
  return joinedSpans(
    cell.map((line) => lineOf([line])),
    0,
  );
}

function unitsByPosition(segments: readonly Segment[]): Unit[] {
  const rows = rowsOf(segments);
  const units: Unit[] = [];
  const addLines = (start: number, end: number): void => {
    for (const line of linesOf(segments.slice(start, end))) units.push({ kind: 'line', segments: line });
  };
  let from = 0;
  while (from < rows.length) {
    let to = from;
    let gap = 0;
    while (to < rows.length && canFollow(to === from ? undefined : rows[to - 1], rows[to], gap)) {
      if (to > from) gap = (rows[to - 1]?.bottom ?? 0) - (rows[to]?.top ?? 0);
      to++;
    }
    while (to > from && (rows[to - 1]?.cells.length ?? 0) < 2) to--;
    const [first, ...more] = rows.slice(from, Math.max(to, from + 1));
    if (!first) break;
    const all = [first, ...more];
    const table = all.length >= rowsMin ? tableOf(all) : undefined;
    if (table === undefined) for (const row of all) addLines(row.start, row.end);
    else if (table.isProse)
      for (const column of table.columns) for (const line of column) units.push({ kind: 'line', segments: [line] });
    else units.push({ kind: 'table', rows: table.rows });
    from += all.length;
  }
  return units;
}

function rowsOf(segments: readonly Segment[]): Row[] {
  const rows: Row[] = [];
  for (let start = 0; start < segments.length;) {
    const row = rowAt(segments, start);
    rows.push(row);
    start = row.end;
  }
  return rows;
}

/**
 * A cell is drawn line by line. The next cell stands to the side of all previous ones: at the same height or vertically
 * centred on it.
 */
function rowAt(segments: readonly Segment[], start: number): Row {
  // oxlint-disable-next-line typescript/no-non-null-assertion -- there is a segment at `start`
  const first = segments[start]!;
  const cells: Segment[][] = [[first]];
  let cell = cells[0] ?? [];
  let [left, right, end] = [first.left, first.right, start + 1];
  let cellsEnd = start + 1;
  for (; end < segments.length && cells.length <= cellsMax; end++) {
    const segment = segments[end];
    const above = cell.at(-1);
    if (!segment || !above || segment.angle !== first.angle) break;
    const isBeside = segment.y < first.y + first.size * 4 && segment.y > above.y - first.size * 0.3;
    if (isBeside && (segment.left >= right || segment.right <= left)) {
      cell = [segment];
      cells.push(cell);
      [left, right] = [Math.min(left, segment.left), Math.max(right, segment.right)];
      cellsEnd = end + 1;
    } else if (isContinued(above, segment) && cell.length < linesMax && !overlapsOther(cells, cell, segment)) {
      cell.push(segment);
      [left, right] = [Math.min(left, segment.left), Math.max(right, segment.right)];
      if (cells.length > 1) cellsEnd = end + 1;
    } else break;
  }
  if (cells.length === 1) return { cells: [[first]], start, end: start + 1, top: first.y, bottom: first.y };
  const bottom = cells.flat().reduce((least, { y }) => Math.min(least, y), first.y);
  const top = cells.reduce((most, [head]) => Math.max(most, head?.y ?? most), first.y);
  return { cells, start, end: cellsEnd, top, bottom };
}

function isContinued(above: Segment, below: Segment): boolean {
  const down = above.y - below.y;
  const size = Math.max(above.size, below.size);
  return down > size * 0.5 && down < size * 1.8 && below.left < above.right && below.right > above.left;
}

function overlapsOther(cells: readonly Segment[][], cell: readonly Segment[], segment: Segment): boolean {
  return cells.some(
    (other) => other !== cell && other.some(({ left, right }) => segment.left < right && segment.right > left),
  );
}

/**
 * A row with one cell can follow a row with several if it stays in one column. `gap` is the distance between the two
 * rows before.
 */
function canFollow(before: Row | undefined, row: Row | undefined, gap: number): boolean {
  const [first] = row?.cells[0] ?? [];
  if (!row || !first || row.cells.some((cell) => cell.some(({ text }) => leaders.test(text)))) return false;
  const [above] = before?.cells[0] ?? [];
  if (!before || !above) return row.cells.length > 1;
  const down = before.bottom - row.top;
  if (down <= 0 || down > Math.max(gap * 1.7, first.size * 2.2)) return false;
  if (Math.min(first.size, above.size) < Math.max(first.size, above.size) * 0.85) return false;
  if (row.cells.length > 1) return true;
  const covered = before.cells.filter((cell) => {
    const [left, right] = intervalOf(cell);
    return first.left < right && first.right > left;
  });
  return before.cells.length > 1 && covered.length < 2;
}

/** The marker of a list item. */
export const marker = /^(?:[•▪‣◦●■○∙·*–—-]|[\uf000-\uf0ff]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\])$/;

interface Table {
  readonly rows: readonly (readonly Span[])[][];
  /** True for two columns of prose that the file draws line by line across both. */
  readonly isProse: boolean;
  readonly columns: readonly (readonly Segment[])[];
}

function tableOf(rows: readonly Row[]): Table | undefined {
  const wide = rows.filter(({ cells }) => cells.length > 1);
  if (wide.length < rowsMin || wide.every(({ cells }) => marker.test(cells[0]?.[0]?.text.trim() ?? '')))
    return undefined;
  const columns = columnsOf(wide);
  if (columns.length < 2) return undefined;
  const placed = rows.map(({ cells }) => {
    const row = columns.map((): Segment[] => []);
    for (const cell of cells) row[columnOf(cell, columns)]?.push(...cell);
    return row;
  });
  const shared = columns.filter((_, column) => isAligned(placed.flatMap((row) => row[column]?.slice(0, 1) ?? [])));
  const full = placed.filter((row) => row.filter((cell) => cell.length > 0).length > 1);
  if (shared.length < 2 || full.length < rowsMin) return undefined;
  const characters = wide.reduce(
    (sum, { cells }) => sum + cells.flat().reduce((all, { text }) => all + text.length, 0),
    0,
  );
  return {
    rows: placed.map((row) => row.map(textOf)),
    isProse:
      columns.length === 2 &&
      wide.length >= 6 &&
      characters / wide.length > 70 &&
      wide.every(({ cells }) => cells.every((cell) => cell.length === 1)),
    columns: columns.map((_, column) => placed.flatMap((row) => row[column] ?? [])),
  };
}

type Interval = readonly [left: number, right: number];

/**
 * Merges the horizontal extents of the cells. If a cell spans several columns, ignores rows with fewer cells than
 * usual.
 */
function columnsOf(rows: readonly Row[]): Interval[] {
  const counts = rows.map(({ cells }) => cells.length).toSorted((one, other) => one - other);
  const usual = counts[Math.floor(counts.length / 2)] ?? 0;
  const all = covered(rows.map(({ cells }) => cells));
  if (all.length >= usual) return all;
  return covered(rows.flatMap(({ cells }) => (cells.length >= usual ? [cells] : [])));
}

function covered(rows: readonly (readonly (readonly Segment[])[])[]): Interval[] {
  const intervals = rows.flatMap((cells) => cells.map(intervalOf)).toSorted(([one], [other]) => one - other);
  const merged: [number, number][] = [];
  for (const [left, right] of intervals) {
    const last = merged.at(-1);
    if (last && left < last[1]) last[1] = Math.max(last[1], right);
    else merged.push([left, right]);
  }
  return merged;
}

function intervalOf(cell: readonly Segment[]): Interval {
  return cell.reduce<Interval>(
    ([low, high], { left, right }) => [Math.min(low, left), Math.max(high, right)],
    [Infinity, -Infinity],
  );
}

function columnOf(cell: readonly Segment[], columns: readonly Interval[]): number {
  const [left, right] = intervalOf(cell);
  const found = columns.findIndex(([low, high]) => left < high && right > low);
  return found === -1 ? columns.filter(([low]) => low <= left).length - 1 : found;
}

/** Returns true if at least three cells share a left edge, right edge or centre. */
function isAligned(cells: readonly Segment[]): boolean {
  const most = (place: (cell: Segment) => number): number => {
    const counts = new Map<number, number>();
    for (const cell of cells) {
      const at = Math.round(place(cell) / 3);
      for (const near of [at, at + 1]) counts.set(near, (counts.get(near) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  };
  const needed = Math.min(rowsMin, cells.length);
  return [
    (cell: Segment) => cell.left,
    (cell: Segment) => cell.right,
    (cell: Segment) => (cell.left + cell.right) / 2,
  ].some((place) => most(place) >= needed);
}

/** Joins consecutive segments on one baseline. */
function linesOf(segments: readonly Segment[]): Segment[][] {
  const lines: Segment[][] = [];
  for (const segment of segments) {
    const line = lines.at(-1);
    const before = line?.at(-1);
    const isSame =
      before &&
      before.angle === segment.angle &&
      Math.abs(before.y - segment.y) < Math.max(before.size, segment.size) * 0.3 &&
      (segment.left >= before.right || (segment.right <= before.left && rightToLeft.test(segment.text + before.text)));
    if (line && isSame) line.push(segment);
    else lines.push([segment]);
  }
  return lines;
}
