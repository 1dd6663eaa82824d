/**
 * Writes e-mail addresses that Cloudflare hid from programs: its script shows them to readers. The first byte of the
 * hexadecimal code is the key, and each further byte is a byte of the address in UTF-8, combined with the key by XOR.
 */
import type { Element } from 'domhandler';
import { Text } from 'domhandler';
import { findOne } from 'domutils';
import { attributeOf } from './nodes.ts';

/** Changes those of the links that hide an address. What is no code for an address stays as it is. */
export function revealEmails(links: readonly Element[]): void {
  for (const link of links) {
    const href = attributeOf(link, 'href');
    const at = href?.indexOf(hiding) ?? -1;
    if (href !== undefined && at !== -1) reveal(link, href.slice(at + hiding.length));
  }
}

const hiding = '/cdn-cgi/l/email-protection';

function reveal(link: Element, rest: string): void {
  const hidden = link.attribs['data-cfemail'] === undefined ? findOne(hasCode, link.children) : link;
  const shown = decodeEmail(hidden?.attribs['data-cfemail'] ?? '');
  if (hidden && shown !== undefined) {
    const text = new Text(shown);
    text.parent = hidden;
    hidden.children = [text];
  }
  const target = decodeEmail(/^#([\da-f]+)/i.exec(rest)?.[1] ?? '') ?? shown;
  if (target !== undefined) link.attribs['href'] = `mailto:${target}`;
}

function hasCode({ attribs }: Element): boolean {
  return attribs['data-cfemail'] !== undefined;
}

/** Returns undefined if the code is not that of an address. */
export function decodeEmail(code: string): string | undefined {
  if (code.length > codeLengthMax || !/^(?:[\da-f]{2}){4,}$/i.test(code)) return undefined;
  const [key = 0, ...bytes] = Buffer.from(code, 'hex');
  const text = Buffer.from(bytes.map((byte) => byte ^ key)).toString('utf8');
  return /^[^\s@<>\p{C}]+@[^\s@<>\p{C}]+$/u.test(text) ? text : undefined;
}

/** An address has at most 254 bytes (RFC 5321, section 4.5.3.1.3, less the brackets), and a link can add a subject. */
const codeLengthMax = 2000;
