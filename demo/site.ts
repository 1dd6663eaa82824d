// The small web site that the project ships: the documentation of an invented weather station, with the traps of the
// real web in it. The demo and the end-to-end tests crawl it.
//
//   node demo/site.ts [port, default 8399]     serves it until Ctrl-C
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import type { DiscardReason } from '../src/core/reasons.ts';

export interface DemoSite {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly origin: string;
  /** Every request answered so far, in the order in which the answers began. It grows while the site is up. */
  readonly requests: readonly DemoRequest[];
  close(): Promise<void>;
}

export interface DemoRequest {
  /** As asked for, query included. */
  readonly path: string;
  readonly status: number;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly userAgent: string;
}

/** Starts the site. Port 0 means a free one. */
export async function startDemoSite(options: { port?: number; host?: string } = {}): Promise<DemoSite> {
  const host = options.host ?? '127.0.0.1';
  const files = readFiles();
  const requests: DemoRequest[] = [];
  const failedOnce = new Set<string>();
  let origin = '';

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const asked = request.url ?? '/';
    const answer = await answerTo(new URL(asked, origin).pathname, files, failedOnce);
    let body = answer.body;
    if (answer.isTemplate) body = Buffer.from(body.toString('utf8').replaceAll('{{origin}}', origin));
    if (answer.isGzipped && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
      body = gzipSync(body);
      response.setHeader('content-encoding', 'gzip');
    }
    if (answer.location !== undefined) response.setHeader('location', answer.location);
    if (answer.type !== undefined) response.setHeader('content-type', answer.type);
    response.setHeader('content-length', body.length);
    requests.push({ path: asked, status: answer.status, at, userAgent: request.headers['user-agent'] ?? '' });
    response.writeHead(answer.status).end(body);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The demo site has no port.');
  origin = `http://${host}:${address.port}`;

  return {
    origin,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Trap {
  /** The file that is served; else the one at the path. */
  readonly file?: string;
  readonly redirect?: readonly [status: number, location: string];
  /** Files are kept in UTF-8, so that they can be read here, and are sent in this. */
  readonly charset?: 'windows-1252' | 'shift_jis' | 'utf-16';
  /** Content-Type, where it is not the one that the file's name suggests. */
  readonly type?: string;
  readonly delayMs?: number;
  readonly isGzipped?: boolean;
  /** The first request is answered with a 500. */
  readonly failsOnce?: boolean;
  readonly edit?: (html: string) => string;
}

/** Paths that are more than the file of that name. */
const traps: Readonly<Record<string, Trap>> = {
  // One page under two URLs.
  '/': { file: '/index.html' },
  '/guide/': { file: '/guide/index.html' },
  '/guide/calibration-print.html': { file: '/guide/calibration.html', edit: withoutFrame },

  // To a page that is linked anyway, to one that is not, over two hops, and away.
  '/old-install': { redirect: [301, '/install.html'] },
  '/changelog': { redirect: [301, '/releases.html'] },
  '/radio': { redirect: [302, '/guide/radio'] },
  '/guide/radio': { redirect: [301, 'radio.html'] },
  '/forum': { redirect: [302, 'http://other.example/forum'] },

  // Said by the header alone, by the page alone, by the byte order mark alone.
  '/stories/normandie.html': { charset: 'windows-1252', type: 'text/html; charset=windows-1252' },
  '/stories/hokkaido.html': { charset: 'shift_jis', type: 'text/html' },
  '/stories/vestland.html': { charset: 'utf-16', type: 'text/html' },

  '/reference/commands.html': { isGzipped: true },
  '/reports/network.html': { delayMs: 300 },
  '/status.html': { failsOnce: true },
};

interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly type?: string;
  readonly location?: string;
  readonly isGzipped?: boolean;
  readonly isTemplate?: boolean;
}

async function answerTo(
  pathname: string,
  files: ReadonlyMap<string, Buffer>,
  failedOnce: Set<string>,
): Promise<Answer> {
  const trap: Trap = traps[pathname] ?? {};
  if (trap.redirect) return { status: trap.redirect[0], location: trap.redirect[1], body: Buffer.alloc(0) };

  const name = trap.file ?? pathname;
  const file = files.get(name);
  if (!file) return { status: 404, type: 'text/html; charset=utf-8', body: notFound };

  if (trap.failsOnce && !failedOnce.has(pathname)) {
    failedOnce.add(pathname);
    return { status: 500, type: 'text/plain', body: Buffer.from('The relay is waking up. Ask again.\n') };
  }
  if (trap.delayMs) await sleep(trap.delayMs);

  let body = file;
  if (trap.edit) body = Buffer.from(trap.edit(body.toString('utf8')));
  if (trap.charset) body = encode(body.toString('utf8'), trap.charset);
  return {
    status: 200,
    type: trap.type ?? types[path.extname(name)] ?? 'application/octet-stream',
    body,
    isGzipped: trap.isGzipped ?? false,
    isTemplate: name === '/robots.txt' || name === '/sitemap.xml',
  };
}

const notFound = Buffer.from(
  '<!doctype html><title>Not found</title><p>Nothing grows here. <a href="/">Back to the meadow</a>\n',
);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
};

/** All files are read at the start and looked up by path, so that no request reaches the disk. */
function readFiles(): Map<string, Buffer> {
  const root = fileURLToPath(new URL('site/', import.meta.url));
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [`/${path.relative(root, file).split(path.sep).join('/')}`, readFileSync(file)];
    }),
  );
}

/** What a print version leaves out. The text and the title stay the same. */
function withoutFrame(html: string): string {
  return html.replaceAll(/ *<(nav|footer)>.*?<\/\1>\n/gs, '');
}

/** Node decodes many charsets and encodes few, so the table is made by decoding every possible character once. */
function encode(text: string, charset: 'windows-1252' | 'shift_jis' | 'utf-16'): Buffer {
  if (charset === 'utf-16') return Buffer.from(`\uFEFF${text}`, 'utf16le');
  const decoder = new TextDecoder(charset);
  const table = new Map<string, readonly number[]>();
  const add = (bytes: readonly number[]): void => {
    const decoded = decoder.decode(Uint8Array.from(bytes));
    if (decoded !== '\uFFFD' && Array.from(decoded).length === 1 && !table.has(decoded)) table.set(decoded, bytes);
  };
  for (let first = 0; first < 256; first++) add([first]);
  if (charset === 'shift_jis') {
    for (let first = 0x81; first < 0xfd; first++) for (let second = 0x40; second < 0xfd; second++) add([first, second]);
  }
  return Buffer.from(
    Array.from(text).flatMap((character) => {
      const bytes = table.get(character);
      if (!bytes) throw new Error(`${charset} has no ${character}`);
      return bytes;
    }),
  );
}

export type ExpectedOutcome =
  /** `fetched`: where the redirects led. The title tells whether the charset was understood. */
  | { readonly url: string; readonly outcome: 'scraped'; readonly title: string; readonly fetched?: string }
  /** `of`: the URL that a duplicate is a duplicate of. */
  | {
      readonly url: string;
      readonly outcome: 'discarded' | 'outside';
      readonly reason: DiscardReason;
      readonly of?: string;
    }
  | { readonly url: string; readonly outcome: 'failed'; readonly reason: string };

/**
 * The whole ledger of a right crawl from `/` with default options: what it lists and nothing else. URLs are paths of the
 * site, or whole where they are elsewhere. No line depends on which of two pages is fetched first: whatever is a
 * duplicate is linked only from the page that it duplicates.
 */
export const expectedOutcomes: readonly ExpectedOutcome[] = [
  { url: '/', outcome: 'scraped', title: 'Windrow, the weather station for hay' },
  { url: '/install.html', outcome: 'scraped', title: 'Install the station · Windrow' },
  { url: '/guide/', outcome: 'scraped', title: 'Guide · Windrow' },
  { url: '/guide/bale-temperature.html', outcome: 'scraped', title: 'Bale temperature · Windrow' },
  { url: '/guide/calibration.html', outcome: 'scraped', title: 'Calibration · Windrow' },
  { url: '/guide/drying-forecast.html', outcome: 'scraped', title: 'The drying forecast · Windrow' },
  { url: '/guide/troubleshooting.html', outcome: 'scraped', title: 'Troubleshooting · Windrow' },
  // Linked from no page: only the sitemap has it.
  { url: '/guide/winter-storage.html', outcome: 'scraped', title: 'Winter storage · Windrow' },
  { url: '/radio', outcome: 'scraped', title: 'Radio · Windrow', fetched: '/guide/radio.html' },
  { url: '/changelog', outcome: 'scraped', title: 'Releases · Windrow', fetched: '/releases.html' },
  { url: '/sensors.html', outcome: 'scraped', title: 'Sensors · Windrow' },
  // Names the page before as canonical, and says less: no copy.
  { url: '/sensors-compact.html', outcome: 'scraped', title: 'Sensors (compact) · Windrow' },
  { url: '/reference/api.html', outcome: 'scraped', title: 'HTTP API · Windrow' },
  { url: '/reference/commands.html', outcome: 'scraped', title: 'Commands · Windrow' },
  { url: '/reference/configuration.html', outcome: 'scraped', title: 'Configuration · Windrow' },
  { url: '/field-notes.html', outcome: 'scraped', title: 'Field notes · Windrow' },
  // Reached through a <base>; without it the link leads to /first-season.html.
  { url: '/archive/first-season.html', outcome: 'scraped', title: 'The first season · Windrow' },
  { url: '/stories/normandie.html', outcome: 'scraped', title: 'La fenaison d’été en Normandie · Windrow' },
  { url: '/stories/hokkaido.html', outcome: 'scraped', title: '北海道の干し草作り | Windrow' },
  { url: '/stories/vestland.html', outcome: 'scraped', title: 'Høy på hesje i Vestland · Windrow' },
  { url: '/community.html', outcome: 'scraped', title: 'Community · Windrow' },
  { url: '/glossary.html', outcome: 'scraped', title: 'Glossary · Windrow' },
  { url: '/status.html', outcome: 'scraped', title: 'State of the relay · Windrow' },
  { url: '/reports/network.html', outcome: 'scraped', title: 'The network today · Windrow' },
  { url: '/ping.html', outcome: 'scraped', title: 'Alive' },

  { url: '/index.html', outcome: 'discarded', reason: 'duplicate_of', of: '/' },
  { url: '/old-install', outcome: 'discarded', reason: 'duplicate_of', of: '/install.html' },
  { url: '/guide/calibration-print.html', outcome: 'discarded', reason: 'duplicate_of', of: '/guide/calibration.html' },
  { url: '/private/trial-fields.html', outcome: 'outside', reason: 'robots_disallowed' },
  { url: '/guestbook.html', outcome: 'outside', reason: 'nofollow' },
  { url: '/files/wiring-plan.pdf', outcome: 'discarded', reason: 'content_type' },
  { url: '/images/station.svg', outcome: 'discarded', reason: 'content_type' },
  { url: '/forum', outcome: 'discarded', reason: 'off_host' },
  { url: 'http://other.example/', outcome: 'outside', reason: 'off_host' },

  { url: '/guide/roof-mount.html', outcome: 'failed', reason: 'http_404' },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const site = await startDemoSite({ port: Number(process.argv[2] ?? 8399) });
  console.log(`The demo site is at ${site.origin}/   Ctrl-C stops it.`);
  process.once('SIGINT', () => void site.close());
  process.once('SIGTERM', () => void site.close());
}
