// Preloaded into a program whose reader has a fixed address: its requests go to READER_ORIGIN. Nothing else changes.
import http from 'node:http';
import https from 'node:https';

const target = new URL('/r/', process.env['READER_ORIGIN']);

https.request = ((url: string | URL, options: http.RequestOptions) => {
  if (new URL(url).host !== 'r.jina.ai') throw new Error(`a request to ${String(url)}`);
  return http.request(target, { ...options, path: target.pathname, agent: false });
}) as typeof https.request;
