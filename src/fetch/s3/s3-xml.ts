// What is read of the XML of S3. Names that this program gives need no unescaping, except for their prefix.
import { decodeXML } from 'entities';

/** The code of an error; undefined if the body has none. */
export function codeIn(body: Buffer): string | undefined {
  return /<Code>([A-Za-z.]{1,100})<\/Code>/.exec(body.toString('utf8', 0, 8_192))?.[1];
}

export interface List {
  readonly objects: readonly { readonly name: string; readonly bytes: number; readonly modifiedAt: number }[];
  /** Continues the list. */
  readonly next: string | undefined;
}

export function listIn(body: Buffer): List {
  const xml = body.toString();
  const objects = xml
    .split('<Contents>')
    .slice(1)
    .map((part) => ({
      name: decodeXML(fieldIn(part, 'Key') ?? ''),
      bytes: Number(fieldIn(part, 'Size') ?? 0),
      modifiedAt: Date.parse(fieldIn(part, 'LastModified') ?? ''),
    }));
  const isCut = fieldIn(xml, 'IsTruncated') === 'true';
  const token = fieldIn(xml, 'NextContinuationToken');
  return { objects, next: isCut && token !== undefined ? decodeXML(token) : undefined };
}

function fieldIn(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  if (start === -1) return undefined;
  const from = start + name.length + 2;
  const end = xml.indexOf(`</${name}>`, from);
  return end === -1 ? undefined : xml.slice(from, end);
}
