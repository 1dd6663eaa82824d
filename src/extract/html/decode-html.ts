import { isUtf8 } from 'node:buffer';
import { declaredDecoder, toUtf8, unmarked, xmlLabels } from '../../core/bytes/decode-bytes.ts';
import { metaLabels } from './meta-labels.ts';

/**
 * Decodes a page with the encoding that browsers choose: byte order mark, charset of the HTTP header, `<meta>`, XML
 * declaration, UTF-8 if the bytes are valid, detection, windows-1252.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): Promise<DecodedPage> {
  return toUtf8(bytes, { contentType, labels: labelsIn(bytes), isMarkup: true });
}

export interface DecodedPage {
  /** The page in UTF-8: its own bytes, if they are that. */
  readonly utf8: Uint8Array;
  /** The encoding of the queries of its links: its name in the Encoding Standard, in lower case. */
  readonly encoding: string;
}

/** Decodes what a browser made of a page: UTF-8, but links keep the encoding that the page declared. */
export function decodeRendered(bytes: Uint8Array, contentType: string): DecodedPage {
  const encoding = declaredDecoder(bytes, { contentType, labels: labelsIn(bytes) })?.encoding ?? 'utf-8';
  return { utf8: isUtf8(bytes) ? unmarked(bytes) : Buffer.from(new TextDecoder().decode(bytes)), encoding };
}

function* labelsIn(bytes: Uint8Array): Generator<string> {
  yield* metaLabels(bytes);
  yield* xmlLabels(bytes);
}
