/** What a linked file says, whatever its format: read by `documents/`, written by `extract/write-document.ts`. */
export interface DocumentContent {
  readonly metadata: DocumentMetadata;
  /** In reading order; each is well formed on its own. */
  readonly blocks: readonly DocumentBlock[];
}

/** As the file states it; absent where it does not. Times are as written, ISO 8601 in nearly all formats. */
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
  /** Set where the file has more than was read: a limit was reached. Absent where all of it was. */
  readonly truncated?: true | undefined;
  /** The pages of a PDF are pictures: it has nothing that could be read as text. */
  readonly warning?: 'no_text_layer' | undefined;
}

export type DocumentBlock =
  | { readonly kind: 'html'; readonly html: string }
  /** The first row names the columns. Rows may differ in length. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  /** Text that is to be kept as it is. */
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string };
