// A chain of hosts in a network namespace of its own, behind a link that can be cut. Runs there as a process; prints a line
// for every page that is asked for.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { htmlPage } from '../service/test-site.ts';

const [device = '', address = '', hostsText = ''] = process.argv.slice(2);
const hosts = Number(hostsText);

/** Each host leads to the next, so that there is always a name that nobody has asked for. */
const site = createServer((request, response) => {
  if (request.url === '/robots.txt') return void response.writeHead(404).end();
  process.stdout.write('asked\n');
  const host = Number(/^h(\d+)\./.exec(request.headers.host ?? '')?.[1] ?? -1);
  const next = host + 1 < hosts ? [`http://h${host + 1}.site.test/`] : [];
  const links = request.url === '/' && host >= 0 ? [...next, '/a', '/b'] : next;
  const text = `The page ${request.url} of ${host}, unlike all others.`;
  setTimeout(() => response.setHeader('content-type', 'text/html').end(htmlPage({ text, links })), 50);
});

process.stdout.write('ready\n');
// By then it has been given the device.
await once(process.stdin, 'data');
// Nobody is left who could end it.
process.stdin.on('end', () => process.exit()).resume();
execFileSync('ip', ['addr', 'add', `${address}/24`, 'dev', device]);
execFileSync('ip', ['link', 'set', device, 'up']);
site.listen(80, address);
await once(site, 'listening');
process.stdout.write('listening\n');
