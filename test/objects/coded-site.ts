// A site that sends its pages in each of the ways in which HTTP can send a body, and knows the bytes of each.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type ScriptedSite, startScriptedSite } from '../e2e/scripted-site.ts';

export interface CodedSite extends ScriptedSite {
  /** What each page is before its coding, by path. A path that redirects has the bytes of its target. */
  readonly sent: ReadonlyMap<string, Buffer>;
}

export interface CodedSiteOptions {
  readonly pages: number;
  /** A word that every page has, and no page of another site. */
  readonly marker: string;
  /** @default 0 */
  readonly delayMs?: number;
}

type Send = (body: Buffer, response: ServerResponse) => void;

const coded =
  (coding: string, encode: (body: Buffer) => Buffer): Send =>
  (body, response) =>
    response.writeHead(200, { ...head, 'content-encoding': coding }).end(encode(body));

const head = {
  'content-type': 'text/html; charset=utf-8',
  'set-cookie': 'session=s3cret; Path=/',
  'x-name': 'value',
};

/** By the number of the page. */
const ways: readonly Send[] = [
  (body, response) => response.writeHead(200, { ...head, 'content-length': body.length }).end(body),
  // In pieces, cut anywhere.
  (body, response) => {
    response.writeHead(200, head);
    for (let at = 0; at < body.length; at += 1_999) response.write(body.subarray(at, at + 1_999));
    response.end();
  },
  coded('gzip', (body) => gzipSync(body)),
  coded('br', (body) => brotliCompressSync(body)),
  coded('deflate', (body) => deflateSync(body)),
  coded('zstd', (body) => zstdCompressSync(body)),
  // Until the connection ends.
  (body, response) => {
    response.removeHeader('date');
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { ...head, connection: 'close' }).end(body);
  },
];

/** A start page that links to all others. Each tenth page is reached by a redirect. */
export async function startCodedSite({ pages, marker, delayMs = 0 }: CodedSiteOptions): Promise<CodedSite> {
  const sent = new Map<string, Buffer>();
  const redirects = new Map<string, string>();
  const answers = new Map<string, Send>();
  for (let page = 1; page < pages; page++) {
    const target = `/p/${page}`;
    const body = Buffer.from(pageOf(page, marker));
    answers.set(target, ways[page % ways.length] ?? (() => {}));
    if (page % 10 === 9) redirects.set(`/to/${page}`, target);
    sent.set(page % 10 === 9 ? `/to/${page}` : target, body);
  }
  const links = Array.from(sent.keys(), (to) => `<a href="${to}">${to}</a>`).join(' ');
  sent.set('/', Buffer.from(`<!doctype html><title>${marker}</title><main><p>Home of ${marker}.</p>${links}</main>`));
  answers.set('/', ways[2] ?? (() => {}));
  const bodies = new Map(Array.from(sent, ([path, body]) => [redirects.get(path) ?? path, body]));
  const site = await startScriptedSite((path) => {
    const location = redirects.get(path);
    if (location !== undefined) return { status: 302, headers: { location } };
    const [send, body] = [answers.get(path), bodies.get(path)];
    if (!send || !body) return undefined;
    return (_: IncomingMessage, response) => void setTimeout(() => send(body, response), delayMs);
  });
  return { ...site, sent };
}

/** With what a parser changes when it writes a page again: odd spaces, entities, attributes without quotes. */
function pageOf(page: number, marker: string): string {
  const words = Array.from({ length: 40 + 37 * (page % 23) }, (_, at) => `${marker}-${page}-${(at * at) % 97}`);
  return `<!DOCTYPE html>\r\n<html lang=en ><title>Page ${page} of ${marker}</title>\t<main><P CLASS='a'>Grüße &amp; &#x1F33E; 🌾 ${words.join('  ')} </main>\n\n`;
}
