/** A file as received. */
export interface FileBytes {
  readonly bytes: Uint8Array;
  /** The header as sent. Text formats need its charset. */
  readonly contentType: string;
}
