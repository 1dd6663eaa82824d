import { constants, crc32, inflateRawSync } from 'node:zlib';
import { ExitError, exitCodes } from '../core/errors.ts';
import { type Fragment, metadataOf, type PageMetadata, type StoredPage, textOf } from '../core/page.ts';

/** A page as the API shows it. */
export interface PageJson {
  readonly meta: {
    readonly page: number;
    readonly url: string;
    readonly fetchedUrl: string;
    readonly meta: PageMetadata;
  };
  readonly text: string;
}

/** A stored page that was read with its text, as JSON text: one row of the API. */
export function pageRow(stored: StoredPage): string {
  const text = textOf(stored);
  const rest = inflated(text);
  if (!rest || crc32(rest) !== text.crc) {
    const message = `The database is damaged: the text of page ${stored.page} is not what was stored. Restore it from a backup.`;
    throw new ExitError(exitCodes.databaseDamaged, message);
  }
  return `{"meta":{"page":${stored.page},${rest.toString()}`;
}

/** A stored page that was read without its text, as JSON text. */
export function pageMetaRow(stored: StoredPage): string {
  return `{"meta":{"page":${stored.page},${Buffer.from(metadataOf(stored)).toString()}}`;
}

export function parsePage(stored: StoredPage): PageJson {
  return JSON.parse(pageRow(stored)) as PageJson;
}

/** Undefined where it is nothing that was ever packed. */
function inflated({ deflated, length }: Fragment): Buffer | undefined {
  try {
    return inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: length });
  } catch (error) {
    if (error instanceof Error && 'code' in error && isOfContent.has(String(error.code))) return undefined;
    throw error;
  }
}

const isOfContent: ReadonlySet<string> = new Set([
  'Z_DATA_ERROR',
  'Z_BUF_ERROR',
  'Z_NEED_DICT',
  'ERR_BUFFER_TOO_LARGE',
]);
