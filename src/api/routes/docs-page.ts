// The API as a page for people: Swagger UI on `/openapi.json`. All of it comes with the program, so it works offline.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { readProgramFile } from '../../core/process/program-files.ts';
import { matchesTag } from '../response/negotiation.ts';
import type { Api } from '../service.ts';

const brotliDecompressAsync = promisify(brotliDecompress);

/**
 * Nothing from elsewhere is loaded, no inline script or style runs, no other page can frame this one, and requests go to
 * this service only.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hayrake API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<noscript><p>This page needs JavaScript. The document that it shows is <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<div id="docs"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/**
 * The token that a person enters stays in memory: a reload forgets it. Without one the browser sends the cookie of its
 * session, which the service accepts from its own pages only, as the header says. Links to other sites are left out.
 */
const start = `'use strict';
const nothing = () => () => null;
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  layout: 'BaseLayout',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [{ wrapComponents: { License: nothing, OpenAPI31License: nothing, JsonSchemaDialect: nothing } }],
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (new URL(request.url, location.href).origin === location.origin) request.headers['X-Hayrake-UI'] = '1';
    return request;
  },
});
`;

interface File {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed by Brotli. */
  readonly isPacked: boolean;
  readonly tag: string;
}

const html = 'text/html; charset=utf-8';
const script = 'text/javascript; charset=utf-8';
const sheet = 'text/css; charset=utf-8';

const loaders: Readonly<Record<string, () => File>> = {
  '/docs': () => fileOf(html, Buffer.from(page)),
  '/docs/start.js': () => fileOf(script, Buffer.from(start)),
  '/docs/swagger-ui.js': () => library(script, 'swagger-ui.js', 'swagger-ui-bundle.js'),
  '/docs/swagger-ui.css': () => library(sheet, 'swagger-ui.css', 'swagger-ui.css'),
};

/** Public, like the document that it shows. Files are read when they are first requested. */
export function registerDocsPage(api: Api): void {
  for (const [url, load] of Object.entries(loaders)) {
    let file: File | undefined;
    api.get(
      url,
      { config: { public: true, ignoresUnknownParameters: true }, schema: { hide: true } },
      async (request, reply) => {
        file ??= load();
        reply
          .header('content-security-policy', policy)
          .header('referrer-policy', 'no-referrer')
          .header('cross-origin-opener-policy', 'same-origin')
          .header('cross-origin-resource-policy', 'same-origin')
          .header('cache-control', 'no-cache')
          .header('vary', 'accept-encoding')
          .header('etag', file.tag);
        if (matchesTag(request.headers['if-none-match'], file.tag)) return reply.code(304).send();
        reply.header('content-type', file.type);
        if (!file.isPacked) return reply.send(file.bytes);
        if (!acceptsBrotli(request.headers['accept-encoding']?.toString()))
          return reply.send(await brotliDecompressAsync(file.bytes));
        return reply.header('content-encoding', 'br').send(file.bytes);
      },
    );
  }
}

function fileOf(type: string, bytes: Buffer, isPacked = false): File {
  return { type, bytes, isPacked, tag: `W/"${hash('sha256', bytes, 'hex').slice(0, 32)}"` };
}

/** A built program has the file next to it, packed; otherwise it is where the package manager put it. */
function library(type: string, name: string, source: string): File {
  const isBuilt = import.meta.url.endsWith('.js');
  const place = isBuilt ? `${name}.br` : `../../../node_modules/swagger-ui-dist/${source}`;
  return fileOf(type, readProgramFile(place, import.meta.url), isBuilt);
}

/** Browsers name it only where a connection is secure, or local. */
function acceptsBrotli(acceptEncoding = ''): boolean {
  return acceptEncoding.split(',').some((coding) => /^br(\s*;\s*q=(1|0\.\d*[1-9]\d*))?\s*$/.test(coding.trim()));
}
