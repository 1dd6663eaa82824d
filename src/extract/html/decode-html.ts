import { declaredDecoder, decodeNamed, xmlLabels } from '../../core/bytes/decode-bytes.ts';
import { metaLabels } from './meta-labels.ts';

/**
 * Decodes a page with the encoding that browsers choose: byte order mark, charset of the HTTP header, `<meta>`, XML
 * declaration, UTF-8 if the bytes are valid, detection, windows-1252.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): Promise<DecodedPage> {
  return decodeNamed(bytes, { contentType, labels: labelsIn(bytes), isMarkup: true });
}

export interface DecodedPage {
  readonly text: string;
  /** The encoding of the queries of its links: its name in the Encoding Standard, in lower case. */
  readonly encoding: string;
}

/** Decodes what a browser made of a page: UTF-8, but links keep the encoding that the page declared. */
export function decodeRendered(bytes: Uint8Array, contentType: string): DecodedPage {
  const encoding = declaredDecoder(bytes, { contentType, labels: labelsIn(bytes) })?.encoding ?? 'utf-8';
  return { text: new TextDecoder().decode(bytes), encoding };
}

function* labelsIn(bytes: Uint8Array): Generator<string> {
  yield* metaLabels(bytes);
  yield* xmlLabels(bytes);
}
