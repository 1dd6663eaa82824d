// The site on the public address, whose pages lead to the canaries in every way a page can.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { canaryAddresses, canaryPorts, urlHost } from './canaries.ts';
import { publicAddress } from './names.ts';

export interface PublicSite {
  /** What was asked for, as `host/path`. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Every canary on every port, as an origin. */
export const canaryOrigins = canaryAddresses.flatMap((address) =>
  canaryPorts.map((port) => `${port === 443 ? 'https' : 'http'}://${urlHost(address)}${portSuffix(port)}`),
);

/** Where a redirect must not lead, beside the canaries. */
export const redirectTraps = {
  schemes: ['file:///etc/passwd', 'ftp://10.0.0.9/', 'gopher://10.0.0.9:80/_x', 'data:text/html,inside'],
  spellings: [
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    '//10.0.0.9/',
    'http:\\\\10.0.0.9/',
    'http://10.0.0.9\\@pub.test/',
    'http://pub.test@10.0.0.9/',
    'http://localhost/',
    'http://metadata.google.internal/',
    'http://wiki.internal/',
    'http://plain.10-0-0-9.canary.test/',
    'http://pub.test:22/',
  ],
} as const;

const starts =
  '/page /refs /base /refresh /refresh-now /refresh-now-header /canonical /link-header /hops /hop/302?to=http://10.0.0.9/deep'.split(
    ' ',
  );

export async function startPublicSite(): Promise<PublicSite> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.headers.host}${request.url}`);
    answer(request, response);
  });
  server.listen(80, publicAddress);
  await once(server, 'listening');
  return {
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const host = request.headers.host ?? '';
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://pub.test');
  // Each request asks for a connection of its own, and each connection for an address.
  if (host.startsWith('rebind-')) response.setHeader('connection', 'close');
  const robotsTo = /^robots-(\d+)\.test$/.exec(host);
  const sitemapTo = /^sitemap-(\d+)\.test$/.exec(host);
  const hop = /^\/hop\/(30\d)$/.exec(pathname);
  if (pathname === '/robots.txt') {
    if (robotsTo) redirect(response, 301, `${canaryOrigins[Number(robotsTo[1])]}/robots.txt`);
    else response.end(host === 'pub.test' ? robots : '');
  } else if (pathname === '/sitemap.xml' && sitemapTo) {
    redirect(response, 302, `${canaryOrigins[Number(sitemapTo[1])]}/sitemap.xml`);
  } else if (host !== 'pub.test' && pathname === '/sitemap.xml') {
    response.writeHead(404).end();
  } else if (pathname === '/sitemap.xml' || pathname === '/index.xml') {
    response.setHeader('content-type', 'application/xml').end(pathname === '/index.xml' ? sitemapIndex : sitemap);
  } else if (hop) {
    redirect(response, Number(hop[1]), searchParams.get('to') ?? '');
  } else {
    response.setHeader('content-type', 'text/html');
    if (pathname === '/refresh') response.setHeader('refresh', `5; url=${canaryOrigins[0]}/refresh-header`);
    if (pathname === '/refresh-now-header') response.setHeader('refresh', `0; url=${canaryOrigins[0]}/refresh-header`);
    if (pathname === '/refresh-to') response.setHeader('refresh', `0; url=${searchParams.get('to')}`);
    if (pathname === '/link-header') {
      response.setHeader('link', canaryOrigins.map((origin) => `<${origin}/link-header>; rel="next"`).join(', '));
    }
    response.end(
      `<!doctype html><html>${(host === 'pub.test' && pages[pathname]) || ''}<p>${host} ${request.url}</p></html>`,
    );
  }
}

function redirect(response: ServerResponse, status: number, to: string): void {
  response.writeHead(status, { location: to }).end();
}

const each = (write: (origin: string) => string): string => canaryOrigins.map(write).join('\n');

const pages: Readonly<Record<string, string>> = {
  '/': starts.map((path) => `<a href="${path}">${path}</a>`).join(''),
  '/refs': each(
    (
      origin,
    ) => `<a href="${origin}/a">a</a><map><area href="${origin}/area"></map><iframe src="${origin}/frame"></iframe>
      <img src="${origin}/img"><script src="${origin}/script"></script><form action="${origin}/form"></form>
      <link rel="alternate" hreflang="de" href="${origin}/hreflang"><link rel="stylesheet" href="${origin}/css">
      <link rel="next" href="${origin}/next"><link rel="preconnect" href="${origin}">`,
  ),
  '/base': `<base href="http://10.0.0.9/"><a href="inner">in</a><a href="//192.168.0.9/x">in</a><a href="/root">in</a>`,
  '/door-outside': `<a href="http://10.0.0.9/from-outside">in</a><a href="http://inner.pub.test/from-subdomain">in</a>`,
  '/refresh': `<meta http-equiv="refresh" content="5; url=http://169.254.169.254/latest/">`,
  '/refresh-now': `<meta http-equiv="refresh" content="0; url=http://169.254.169.254/now/">`,
  '/canonical': `<link rel="canonical" href="http://10.0.0.9/canonical"><meta property="og:url" content="http://10.0.0.9/">`,
  '/hops': each((origin) => `<a href="/hop/301?to=${encodeURIComponent(`${origin}/hop`)}">hop</a>`),
};

const robots = ['User-agent: *', 'Disallow:', each((origin) => `Sitemap: ${origin}/s.xml`)]
  .concat(['Sitemap: http://pub.test/sitemap.xml', 'Sitemap: http://pub.test/index.xml', 'Sitemap: file:///etc/passwd'])
  .join('\n');
const sitemap = `<urlset>${each((origin) => `<url><loc>${origin}/listed</loc></url>`)}
  <url><loc>http://pub.test/only-in-sitemap</loc></url></urlset>`;
const sitemapIndex = `<sitemapindex>${each((origin) => `<sitemap><loc>${origin}/t.xml</loc></sitemap>`)}</sitemapindex>`;

function portSuffix(port: number): string {
  return port === 8000 ? ':8000' : '';
}
