import type { OutputFormat } from '../../../core/job.ts';
import type { Fragment } from '../../../core/page.ts';
import { inflateFragment } from '../../../page/inflate-fragment.ts';
import { rowStart } from '../../../page/row.ts';
import type { PageJson } from '../../../page/decode.ts';
import { plainText } from '../../../search/plain-text.ts';

export interface PageText {
  readonly url: string;
  readonly title: string;
  /** As it is searched. */
  readonly text: string;
}

/** Unpacks a stored text; undefined if it is not what was packed. 60 us for 5 KB. */
export function pageText(fragment: Fragment | undefined, format: OutputFormat): PageText | undefined {
  const unpacked = fragment && inflateFragment(fragment);
  if (!unpacked) return undefined;
  const { meta, text } = JSON.parse(rowStart(1) + unpacked.toString()) as PageJson;
  return { url: meta.url, title: plainText(meta.meta.title, 'text'), text: plainText(text, format) };
}
