import type { CursorList, Cursors } from './cursor.ts';

export interface PageQuery {
  readonly limit: number;
  /** Of this list. @default from the beginning */
  readonly cursor?: string | undefined;
}

export interface Listed<Row> {
  readonly rows: readonly Row[];
  /** Absent when nothing remains. */
  readonly cursor?: string;
}

/** Reads a part of a list. `positionOf`: where a reader continues after a row. */
export async function listPage<Row>(
  { cursors, list, limit, cursor }: PageQuery & { readonly cursors: Cursors; readonly list: CursorList },
  read: (after: string | undefined, limit: number) => Promise<readonly Row[]>,
  positionOf: (row: Row) => string | number,
): Promise<Listed<Row>> {
  // One row more than requested shows if anything remains.
  const found = await read(cursor === undefined ? undefined : cursors.read(list, cursor), limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return found.length > limit && last ? { rows, cursor: cursors.write(list, positionOf(last)) } : { rows };
}
