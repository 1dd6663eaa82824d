import { describe, expect, test } from 'vitest';
import { shortenHead } from './shorten-head.ts';

const status = 'HTTP/1.1 200 OK\r\n';
const trace = `X-Trace: a=${'x'.repeat(4_000)}\r\n`;
const needed =
  'content-TYPE: text/html\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nX-Robots-Tag: noindex\r\n';
const link = `Link: </${'x'.repeat(5_000)}>; rel=next\r\n`;

describe('shortenHead', () => {
  test('shortenHead: does not change a short head', () => {
    const head = `${status}${trace.repeat(4)}\r\n`;
    expect(shortenHead(head)).toBe(head);
  });

  test('shortenHead: keeps only the needed headers of a long head', () => {
    expect(shortenHead(`${status}${trace.repeat(20)}${needed}${trace}Location: /a\r\n\r\n`)).toBe(
      `${status}${needed}Location: /a\r\n\r\n`,
    );
  });

  test('shortenHead: keeps each needed header of a long head up to 16 KiB', () => {
    expect(shortenHead(`${status}${trace.repeat(5)}${link.repeat(20)}ETag: "a"\r\n\r\n`)).toBe(
      `${status}${link.repeat(3)}${link.slice(0, 16 * 1024 - 3 * (link.length - 2))}\r\nETag: "a"\r\n\r\n`,
    );
    const long = shortenHead(`${status}Refresh: ${'x'.repeat(100_000)}\r\nETag: "a"\r\n\r\n`);
    expect(long).toBe(`${status}Refresh: ${'x'.repeat(16 * 1024 - 9)}\r\nETag: "a"\r\n\r\n`);
  });

  test('shortenHead: keeps two different lengths', () => {
    expect(shortenHead(`${status}Content-Length: 5\r\n${trace.repeat(5)}Content-Length: 6\r\n\r\n`)).toBe(
      `${status}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
    );
  });
});
