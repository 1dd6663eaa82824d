import { Parser } from 'htmlparser2';
import { decodeXml } from '../../core/bytes/decode-bytes.ts';
import { DocumentError } from './document-error.ts';

export type XmlAttributes = Readonly<Record<string, string | undefined>>;

/** What is done where an element begins and ends. `text` stands directly in it, not in an element below it. */
export interface XmlElement {
  open?(attributes: XmlAttributes): unknown;
  close?(text: string): unknown;
}

/** Names of elements come without their prefix; attributes keep theirs. */
export interface XmlHandler {
  /** True for an element that is left out, with all that it holds. */
  leavesOut?(name: string, attributes: XmlAttributes): boolean;
  /** By name. Elements that are not listed go to `open` and `close`. */
  readonly elements?: Readonly<Record<string, XmlElement>>;
  open?(name: string, attributes: XmlAttributes): void;
  /** Text can arrive in several pieces. */
  text?(text: string): void;
  close?(name: string, text: string): void;
}

export interface XmlReading {
  /** For XHTML, which programs write as they write HTML. */
  readonly mode?: 'xml' | 'html';
  readonly attributesOf?: (attributes: XmlAttributes) => XmlAttributes;
}

const depthMax = 512;

/**
 * Streams XML without building a tree. Malformed XML is read as far as possible. Document types are skipped: only the
 * entities of XML itself exist, so entities cannot expand.
 */
export function readXml(source: Uint8Array | string = '', handler: XmlHandler, reading: XmlReading = {}): void {
  const { mode = 'xml', attributesOf = (attributes) => attributes } = reading;
  /** Of the open elements. */
  const open: { readonly element: XmlElement | undefined; text: string }[] = [];
  let leftOutAt = Infinity;
  const parser = new Parser(
    {
      onopentag(tag, stated) {
        const name = localName(tag);
        const attributes = attributesOf(stated);
        const element = handler.elements?.[name];
        const depth = open.push({ element, text: '' });
        if (depth > depthMax) {
          throw new DocumentError('parse_budget', `The file has elements nested deeper than ${depthMax}.`);
        }
        if (depth > leftOutAt) return;
        if (handler.leavesOut?.(name, attributes) === true) leftOutAt = depth;
        else if (element) element.open?.(attributes);
        else handler.open?.(name, attributes);
      },
      ontext(text) {
        const around = open.at(-1);
        // Text outside all elements is the rest of a document type.
        if (!around || open.length >= leftOutAt) return;
        around.text += text;
        handler.text?.(text);
      },
      onclosetag(tag) {
        const { element, text = '' } = open.pop() ?? {};
        if (open.length >= leftOutAt) return;
        if (open.length + 1 === leftOutAt) leftOutAt = Infinity;
        else if (element) element.close?.(text);
        else handler.close?.(localName(tag), text);
      },
    },
    { xmlMode: mode === 'xml', recognizeSelfClosing: true, decodeEntities: true },
  );
  parser.end(typeof source === 'string' ? source : decodeXml(source));
}

/** The texts of elements that have one, by the names that `fields` gives them. */
export function readTexts<Field extends string>(
  source: Uint8Array | undefined,
  fields: ReadonlyMap<string, Field>,
  reading?: XmlReading,
): Partial<Record<Field, string[]>> {
  const texts: Partial<Record<Field, string[]>> = {};
  const close = (name: string, text: string): void => {
    const field = fields.get(name);
    if (field !== undefined && text !== '') (texts[field] ??= []).push(text);
  };
  readXml(source, { close }, reading);
  return texts;
}

/** As one text each. */
export function joinedTexts<Field extends string>(
  texts: Readonly<Partial<Record<Field, readonly string[] | undefined>>>,
): Partial<Record<Field, string>> {
  const joined: Partial<Record<Field, string>> = {};
  for (const field in texts) if (texts[field]) joined[field] = texts[field].join('');
  return joined;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
