/** A file as it came. */
export interface FileBytes {
  readonly bytes: Uint8Array;
  /** As sent: its charset matters to formats that are text. */
  readonly contentType: string;
}
