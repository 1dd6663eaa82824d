import { Parser } from 'htmlparser2';
import { decodeXml } from '../core/decode-bytes.ts';
import { DocumentError } from './document-error.ts';

export type XmlAttributes = Readonly<Record<string, string | undefined>>;

export interface XmlHandler {
  /** `name` is without its prefix, attributes are with theirs. */
  open?(name: string, attributes: XmlAttributes): void;
  /** May come in pieces. */
  text?(text: string): void;
  close?(name: string): void;
}

const depthMax = 512;

/**
 * Reads XML as a stream: no tree is built. What is not well formed is read as well as it can be. Document types are skipped: there
 * are no entities but those of XML itself, so that none can grow. `mode: 'html'` is for XHTML.
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
        // Outside of all elements is what is left of a document type.
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
