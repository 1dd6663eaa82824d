// What a format of exports is, and what formats share. One file per format; `formats.ts` lists them.
import type { ExtractOption } from '../core/extract.ts';
import type { Job, OutputFormat } from '../core/job.ts';
import type { StoredPage } from '../core/page.ts';
import { isErased, type PageJson, parsePage } from '../page/decode.ts';

/** What a format knows about the job. */
export interface ExportedJob {
  readonly id: string;
  readonly outputFormat: OutputFormat;
  /** The first start URL. */
  readonly startUrl: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly extract: ExtractOption | null;
  /** Number of committed pages that the export covers. */
  readonly total: number;
  /** Only for lines: a last line distinguishes a complete file from a cut one. @default false */
  readonly withEnd?: boolean;
}

/** Some consecutive pages, read with their text. */
export interface ExportSlice {
  readonly pages: readonly StoredPage[];
  /** The page after these, if it is damaged. Only formats that continue after a damaged page get one. */
  readonly damagedPage?: number;
}

/**
 * Yields the bytes of an export from front to back, in constant memory: a yield holds at most the pages of one slice, or
 * what little was collected of earlier ones. The same pages give the same bytes.
 */
export type Encode = (slices: AsyncIterable<ExportSlice>, job: ExportedJob) => AsyncIterable<string | Uint8Array>;

/** Writes the whole file, which must not exist. `onOpened` is called once it does. */
export type WriteFile = (
  slices: AsyncIterable<ExportSlice>,
  job: ExportedJob,
  file: string,
  room: FileRoom,
  onOpened?: () => void,
) => Promise<void>;

export interface FileRoom {
  /** A directory on the disk of the file. The file itself can have lost its name while it is written. */
  readonly directory: string;
  /** MiB that must stay free on this disk; 0 disables the check. */
  readonly diskFreeMb: number;
}

interface CommonFormat {
  /** Completes the name of the file, such as `.csv`. */
  readonly ending: string;
  readonly contentType: string;
  /** One sentence for users. */
  readonly description: string;
}

/** A format that is written from front to back. Its code is loaded by the first export. */
export interface StreamedFormat extends CommonFormat {
  readonly load: () => Promise<Encode>;
  /** The same as one gzip member, if that costs less than compressing. */
  readonly loadPacked?: () => Promise<Encode>;
  /** Pages are independent lines: a reader can start after any page, and a damaged page becomes a line of its own. */
  readonly isLines?: boolean;
}

/** A format that needs a file, because its beginning depends on its end. */
export interface FiledFormat extends CommonFormat {
  readonly loadWriter: () => Promise<WriteFile>;
}

export type ExportFormat = StreamedFormat | FiledFormat;

export function exportedJob({ id, spec, createdAt }: Job, total: number): ExportedJob {
  return { id, outputFormat: spec.outputFormat, extract: spec.extract, startUrl: spec.urls[0] ?? '', createdAt, total };
}

/** {@link eachPage} without those that were erased: for formats of texts, of which they have none. */
export async function* eachKeptPage(slices: AsyncIterable<ExportSlice>): AsyncGenerator<PageJson> {
  for await (const page of eachPage(slices)) if (!isErased(page)) yield page;
}

/** Yields the pages of all slices. Throws if a stored text is not what was stored. */
export async function* eachPage(slices: AsyncIterable<ExportSlice>): AsyncGenerator<PageJson> {
  for await (const { pages } of slices) for (const stored of pages) yield parsePage(stored);
}
