/** A table copied to another store, as read from the source and then from the target. */
export interface MovedTable {
  readonly name: string;
  readonly source: RowsRead;
  readonly target: RowsRead;
}

export interface RowsRead {
  readonly rows: number;
  /** SHA-256 over all columns of all rows, in order; binary values count by their own SHA-256. */
  readonly checksum: string;
}
