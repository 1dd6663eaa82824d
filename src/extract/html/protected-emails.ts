/**
 * Writes e-mail addresses that Cloudflare hid from programs: its script shows them to readers. The first byte of the
 * hexadecimal code is the key, and each further byte is a byte of the address in UTF-8, combined with the key by XOR.
 */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag, Text } from 'domhandler';

/** Returns false for most pages, so that they are not searched. */
export function mayHoldProtectedEmails(html: string): boolean {
  return html.includes('data-cfemail=') || html.includes(linkStart);
}

/** Changes links and texts of the page. What is no code for an address stays as it is. */
export function revealEmails(document: Document): void {
  visitAll(document.children);
}

function visitAll(nodes: readonly ChildNode[]): void {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    reveal(node);
    visitAll(node.children);
  }
}

function reveal(element: Element): void {
  const { attribs } = element;
  const shown = decodeEmail(attribs['data-cfemail'] ?? '');
  if (shown !== undefined) {
    const text = new Text(shown);
    text.parent = element;
    element.children = [text];
  }
  const href = attribs['href'];
  const at = href?.indexOf(linkStart) ?? -1;
  if (href === undefined || at === -1) return;
  const target = decodeEmail(/^#([\da-f]+)/i.exec(href.slice(at + linkStart.length))?.[1] ?? '') ?? shown;
  if (target !== undefined) attribs['href'] = `mailto:${target}`;
}

const linkStart = '/cdn-cgi/l/email-protection';

/** Returns undefined if the code is not that of an address. */
export function decodeEmail(code: string): string | undefined {
  if (code.length > codeLengthMax || !/^(?:[\da-f]{2}){4,}$/i.test(code)) return undefined;
  const [key = 0, ...bytes] = Buffer.from(code, 'hex');
  const text = Buffer.from(bytes.map((byte) => byte ^ key)).toString('utf8');
  return /^[^\s@<>\p{C}]+@[^\s@<>\p{C}]+$/u.test(text) ? text : undefined;
}

/** An address has at most 254 bytes (RFC 5321, section 4.5.3.1.3, less the brackets), and a link can add a subject. */
const codeLengthMax = 2000;
