import { describe, expect, test } from 'vitest';
import { answerTo, headersForBrowser } from './answer-request.ts';

const request = { url: 'https://site.example/x', method: 'GET', type: 'Script', isMainFrame: true, isHistory: false };
const rules = { documentUrl: 'https://site.example/x', hasDocument: true, blockResources: true };

describe('requests of a rendered page', () => {
  test.each([
    [{ type: 'Document' }, { hasDocument: false }, 'document'],
    [{ type: 'Document' }, {}, 'redirect'],
    [{ type: 'Document', isMainFrame: false }, {}, 'empty'],
    // From the page that the tab had before.
    [{ type: 'Document', url: 'https://site.example/y' }, { hasDocument: false }, 'refuse'],
    [{ type: 'Fetch' }, { hasDocument: false }, 'refuse'],
    [{ type: 'Document', isHistory: true }, {}, 'refuse'],
    [{ type: 'Script' }, {}, 'ask'],
    [{ type: 'XHR', method: 'POST' }, {}, 'ask'],
    [{ type: 'Fetch', method: 'HEAD' }, {}, 'ask'],
    [{ type: 'Fetch', method: 'PUT' }, {}, 'refuse'],
    [{ type: 'Fetch', method: 'DELETE' }, {}, 'refuse'],
    [{ type: 'Script', method: 'POST' }, {}, 'refuse'],
    [{ type: 'Image' }, {}, 'empty'],
    [{ type: 'Image' }, { blockResources: false }, 'ask'],
    [{ type: 'Stylesheet' }, {}, 'empty'],
    [{ type: 'Media' }, { blockResources: false }, 'empty'],
    [{ type: 'Ping', method: 'POST' }, {}, 'empty'],
    [{ type: 'EventSource' }, {}, 'refuse'],
    [{ type: 'WebSocket' }, {}, 'refuse'],
    [{ type: 'Prefetch' }, {}, 'refuse'],
    [{ type: 'Other', url: 'https://site.example/favicon.ico' }, {}, 'refuse'],
    [{ type: 'Document', url: 'file:///etc/passwd' }, { hasDocument: false }, 'refuse'],
    [{ type: 'Script', url: 'chrome://x/' }, {}, 'refuse'],
  ])('answerTo: for the request %j with %j returns %s', (given, given2, kind) => {
    expect(answerTo({ ...request, ...given }, { ...rules, ...given2 }).kind).toBe(kind);
  });

  test('headersForBrowser: omits headers about the connection, and headers that make the browser act', () => {
    const kept = headersForBrowser([
      ['Content-Type', 'text/javascript'],
      ['Content-Encoding', 'gzip'],
      ['Link', '</x>; rel=preload'],
      ['Alt-Svc', 'h3=":443"'],
      ['access-control-allow-origin', '*'],
    ]);
    expect(kept.map(({ name }) => name)).toEqual(['Content-Type', 'access-control-allow-origin']);
  });
});
