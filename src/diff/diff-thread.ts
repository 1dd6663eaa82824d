// A thread that compares two stored pages, and then ends: the main thread neither unpacks, parses nor compares a text, and can
// end this one, whatever it does.
import { parentPort, workerData } from 'node:worker_threads';
import { ExitError, exitCodes } from '../core/errors.ts';
import type { OutputFormat } from '../core/job.ts';
import type { Fragment, StoredPage } from '../core/page.ts';
import { isErased, type PageJson, parsePage } from '../page/decode.ts';
import { plainText } from '../search/plain-text.ts';
import { compareTexts, patchOf, type PatchNames } from './compare-texts.ts';
import type { TextDiff } from './text-diff.ts';

export interface DiffTask {
  /** Bodies of the earlier page and of the later one. */
  readonly before: Fragment;
  readonly after: Fragment;
  /** What the texts are. */
  readonly format: OutputFormat;
  /** A patch with this heading; undefined for hunks. */
  readonly patch: PatchNames | undefined;
}

/** `text`: the patch, or the hunks as JSON. */
export interface Compared {
  readonly isTruncated: boolean;
  readonly text: string;
  /** Titles of both pages. */
  readonly previousTitle: string;
  readonly title: string;
}

export type DiffResponse =
  | ({ readonly kind: 'compared' } & Compared)
  | { readonly kind: 'erased' }
  | { readonly kind: 'damaged' };

function response({ before, after, format, patch }: DiffTask): DiffResponse {
  const old = read(before, format);
  const now = read(after, format);
  if (old === 'damaged' || now === 'damaged') return { kind: 'damaged' };
  if (old.isErased || now.isErased) return { kind: 'erased' };
  const titles = { previousTitle: old.title, title: now.title };
  if (patch) return { kind: 'compared', ...titles, ...patchOf(old.text, now.text, patch) };
  const { isTruncated, hunks }: TextDiff = compareTexts(old.text, now.text);
  return { kind: 'compared', ...titles, isTruncated, text: JSON.stringify(hunks) };
}

interface ReadPage {
  readonly title: string;
  readonly text: string;
  readonly isErased: boolean;
}

function read(body: Fragment, format: OutputFormat): ReadPage | 'damaged' {
  // Its number is not shown.
  const stored: StoredPage = { page: 1, body };
  let page: PageJson;
  try {
    page = parsePage(stored);
  } catch (error) {
    if (error instanceof ExitError && error.exitCode === exitCodes.databaseDamaged) return 'damaged';
    throw error;
  }
  return { title: page.meta.meta.title, text: shown(page.text, format), isErased: isErased(page) };
}

/** What a reader sees. Markdown and text are as they are delivered, so that a patch fits them; of HTML the tags are left out. */
function shown(text: string, format: OutputFormat): string {
  if (format !== 'html') return text;
  const lines = plainText(text, format)
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '));
  return lines.filter((line) => line !== '').join('\n');
}

parentPort?.postMessage(response(workerData as DiffTask));
