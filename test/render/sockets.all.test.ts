// The sockets of the fenced browser, as the kernel sees them: which internet sockets its processes open, and that none can leave.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isBrowserMissing, openRenderer, pageOf, probedBwrap, textOf } from './browser.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const canTrace = process.platform === 'linux' && spawnSync('strace', ['-f', 'true']).status === 0;

/** Pages that use every kind of socket that a browser has. */
const scripts = [
  `new WebSocket('ws://203.0.113.7/')`,
  `new WebSocket('ws://[2001:db8::7]/')`,
  `const one = new RTCPeerConnection({ iceServers: [{ urls: 'stun:203.0.113.7:3478' }] });
   one.createDataChannel('x'); one.createOffer().then((offer) => one.setLocalDescription(offer))`,
  `new WebTransport('https://203.0.113.7/')`,
  `new Worker(URL.createObjectURL(new Blob(["fetch('http://203.0.113.7/')"])))`,
  `new EventSource('http://203.0.113.7/')`,
  `navigator.sendBeacon('http://203.0.113.7/')`,
];

/** The proxy that Chromium is told to use. In the namespace nothing listens there. */
const closedProxy = 'AF_INET SOCK_STREAM 127.0.0.1:9';
/** Chromium and its WebRTC ask the kernel for a route to the internet. Connecting a datagram socket sends nothing. */
const routeQuestions = [
  'AF_INET6 SOCK_DGRAM 2001:4860:4860::8888:443',
  'AF_INET6 SOCK_DGRAM 2001:4860:4860::8888:53',
  'AF_INET SOCK_DGRAM 8.8.8.8:53',
];
const allowed = new Set([closedProxy, ...routeQuestions]);

describe.skipIf(isBrowserMissing || !canTrace)(
  'sockets of the browser (needs chromium-headless-shell, bubblewrap, strace)',
  () => {
    test('none leaves: a proxy that does not exist, and a question for a route', async () => {
      const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-sockets-'));
      cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
      const trace = path.join(directory, 'trace');
      const bwrap = path.join(directory, 'bwrap');
      const calls = 'socket,connect,bind,listen,sendto,sendmsg,sendmmsg';
      writeFileSync(bwrap, `#!/bin/sh\nexec strace -f -qq -yy -e trace=${calls} -o ${trace} ${probedBwrap} "$@"\n`);
      chmodSync(bwrap, 0o755);
      const renderer = openRenderer({ bwrap, pages: 2, limits: { hasHooks: false } });
      cleanups.push(() => renderer.close());
      for (const script of scripts) {
        const page = pageOf(`<body>page<script>try { ${script} } catch {}</script>`);
        expect(textOf(await renderer.render(page))).toBe('page');
      }
      await renderer.close();
      const lines = readFileSync(trace, 'utf8').split('\n');
      // The trace follows all processes of the browser: their messages to each other are in it.
      expect(
        new Set(lines.filter((line) => / send\w+\(.*UNIX/u.test(line)).map((line) => line.split(' ')[0])).size,
      ).toBeGreaterThan(3);
      const met = lines.filter(isConnect).map(destination);
      expect(met.filter((one) => !allowed.has(one))).toEqual([]);
      expect(met).toContain(closedProxy);
      const others = lines.filter((line) => /(?:bind|listen|send\w+)\(\d+<(?:TCP|UDP|RAW|ICMP)/u.test(line));
      expect(others).toEqual([]);
      const answers = lines
        .filter((line) => /connect\(\d+<(?:TCP|UDP)/u.test(line))
        .filter((line) => line.endsWith(' = 0'));
      expect(answers).toEqual([]);
      console.log(`${met.length} connects: ${[...new Set(met)].join(', ')}`);
    });

    test('there is only a loopback device, and no route', async () => {
      const renderer = openRenderer({ pages: 1 });
      cleanups.push(() => renderer.close());
      const seen: string[] = [];
      const own = readlinkSync('/proc/self/ns/net');
      await renderer.render(
        pageOf(`<body>page<script>fetch('/look')</script>`, {
          '/look': () => {
            for (const pid of browserProcesses()) seen.push(networkOf(pid, own));
            return 'x';
          },
        }),
      );
      expect(seen.length).toBeGreaterThan(3);
      expect(new Set(seen)).toEqual(new Set(['namespace of its own; devices: lo; routes: 0']));
    });
  },
);

function isConnect(line: string): boolean {
  return /connect\(/u.test(line) && /AF_INET6?/u.test(line);
}

function destination(line: string): string {
  const family = /sa_family=(AF_INET6?)/u.exec(line)?.[1] ?? '';
  const type = /connect\(\d+<TCP/u.test(line) ? 'SOCK_STREAM' : 'SOCK_DGRAM';
  const address = /(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"/u.exec(line)?.[1] ?? '';
  return `${family} ${type} ${address}:${/htons\((\d+)\)/u.exec(line)?.[1] ?? ''}`;
}

/** Processes of Chromium itself that this process has started. */
function browserProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return isOurs(pid) && /headless-shell|chrom/u.test(readlinkSync(`/proc/${pid}/exe`));
      } catch {
        return false;
      }
    });
}

function isOurs(pid: number): boolean {
  for (let one = pid; one > 1;) {
    if (one === process.pid) return true;
    one = Number(
      readFileSync(`/proc/${one}/stat`, 'latin1')
        .replace(/^.*\) /u, '')
        .split(' ')[1],
    );
  }
  return false;
}

function networkOf(pid: number, own: string): string {
  const name = readlinkSync(`/proc/${pid}/ns/net`) === own ? 'the namespace of hayrake' : 'namespace of its own';
  const rows = (file: string, headers: number): string[] =>
    readFileSync(`/proc/${pid}/net/${file}`, 'utf8').trim().split('\n').slice(headers);
  const devices = rows('dev', 2).map((row) => row.split(':')[0]?.trim());
  return `${name}; devices: ${devices.join(', ')}; routes: ${rows('route', 1).length}`;
}
