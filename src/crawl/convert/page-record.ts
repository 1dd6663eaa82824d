import { contentKey } from './content-key.ts';
import type { PageRecord } from '../../core/page.ts';
import { encodePage, type PageToEncode } from '../../page/encode.ts';
import { type Shape, shapeMarkdown } from '../../shape/shape-markdown.ts';

export interface PageToStore extends PageToEncode {
  readonly fetchedKey: string;
  readonly copyKey?: string | undefined;
  readonly statusCode: number;
  /** The shape of Markdown. Copies are recognised by the whole text, whatever its shape. */
  readonly shape: Shape;
}

/** A page ready to be stored, with the keys by which its copies are recognised. */
export function toPageRecord(page: PageToStore): PageRecord {
  const { fetchedUrl, fetchedKey, copyKey, metadata, text, statusCode, shape } = page;
  return {
    ...encodePage({ ...page, text: shapeMarkdown(text, shape) }),
    fetchedKey,
    ...(copyKey !== undefined && { copyKey }),
    ...(text !== '' && { contentKey: contentKey(metadata.title, text, fetchedUrl) }),
    statusCode,
  };
}
