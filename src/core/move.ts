/** A table that was taken to another store, as it was read from the one and then from the other. */
export interface MovedTable {
  readonly name: string;
  readonly source: RowsRead;
  readonly target: RowsRead;
}

export interface RowsRead {
  readonly rows: number;
  /** SHA-256 over all columns of all rows, in order; of bytes, their own SHA-256. */
  readonly checksum: string;
}
