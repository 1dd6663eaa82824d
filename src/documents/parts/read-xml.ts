import { Parser } from 'htmlparser2';
import { decodeXml } from '../../core/bytes/decode-bytes.ts';
import { DocumentError } from './document-error.ts';

export type XmlAttributes = Readonly<Record<string, string | undefined>>;

export interface XmlHandler {
  /** `name` comes without its prefix; attributes keep theirs. */
  open?(name: string, attributes: XmlAttributes): void;
  /** Text can arrive in several pieces. */
  text?(text: string): void;
  close?(name: string): void;
}

const depthMax = 512;

/**
 * Streams XML without building a tree. Malformed XML is read as far as possible. Document types are skipped: only the
 * entities of XML itself exist, so entities cannot expand. Use `mode: 'html'` for XHTML.
 */
export function readXml(source: Uint8Array | string, handler: XmlHandler, mode: 'xml' | 'html' = 'xml'): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > depthMax) {
          throw new DocumentError('parse_budget', `The file has elements nested deeper than ${depthMax}.`);
        }
        handler.open?.(localName(name), attributes);
      },
      ontext(text) {
        // Text outside all elements is the rest of a document type.
        if (depth > 0) handler.text?.(text);
      },
      onclosetag(name) {
        depth--;
        handler.close?.(localName(name));
      },
    },
    { xmlMode: mode === 'xml', recognizeSelfClosing: true, decodeEntities: true },
  );
  parser.end(typeof source === 'string' ? source : decodeXml(source));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
