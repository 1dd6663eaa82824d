import { decodeBytes, xmlLabels } from '../../core/bytes/decode-bytes.ts';
import { metaLabels } from './meta-labels.ts';

/**
 * Decodes a page with the encoding that browsers choose: byte order mark, charset of the HTTP header, `<meta>`, XML
 * declaration, UTF-8 if the bytes are valid, detection, windows-1252.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): Promise<string> {
  return decodeBytes(bytes, { contentType, labels: labelsIn(bytes), isMarkup: true });
}

function* labelsIn(bytes: Uint8Array): Generator<string> {
  yield* metaLabels(bytes);
  yield* xmlLabels(bytes);
}
