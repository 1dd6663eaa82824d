/** Content of a linked file, whatever its format: read by `documents/`, written by `extract/write-document.ts`. */
export interface DocumentContent {
  readonly metadata: DocumentMetadata;
  /** In reading order; each block is well formed on its own. */
  readonly blocks: readonly DocumentBlock[];
}

/**
 * Metadata as the file states it; absent fields are not stated. Times are as written, ISO 8601 in nearly all formats.
 */
export interface DocumentMetadata {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly author?: string | undefined;
  readonly language?: string | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly publishedTime?: string | undefined;
  readonly modifiedTime?: string | undefined;
  /** Pages of a PDF, slides of a presentation. */
  readonly pageCount?: number | undefined;
  /** Set if a limit ended the reading, so the file has more than this. Absent if all of it was read. */
  readonly truncated?: true | undefined;
  /** Characters of a PDF that its fonts draw without saying which letters they are. Absent if there are none. */
  readonly unreadableCharacters?: number | undefined;
  /** Pages of a PDF are pictures, without text to read; or it has unreadable characters. */
  readonly warning?: 'no_text_layer' | 'unreadable_text' | undefined;
}

export type DocumentBlock =
  | { readonly kind: 'html'; readonly html: string }
  /** The first row names the columns. Rows may differ in length. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly TableCell[])[] }
  /** Text to keep unchanged. */
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string };

/** Plain text, or plain text that is a link. */
export type TableCell = string | { readonly text: string; readonly href: string };
