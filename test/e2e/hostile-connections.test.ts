// Connections that stop, break or speak no HTTP: each attempt ends with a reason, and half a page is never a page.
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { ledgerOf } from './ledger.ts';
import {
  growthOf,
  type HostileSites,
  http,
  ledgerBySite,
  ordinaryPage,
  ordinaryPaths,
  type RawAnswer,
  type RawSite,
  type SiteLedger,
  startHostileSites,
  startRawSite,
  warmUp,
} from './hostile-site.ts';

const grownMiBMax = 128;
const attemptsMax = 4;

const html = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const page = ordinaryPage('a page of which every byte matters');
const whole = `${html}Content-Length: ${page.length}\r\n\r\n${page}`;
const bodyAt = whole.length - page.length;

/** Tried again, up to four times. */
const broken: Readonly<Record<string, RawAnswer>> = {
  'a body shorter than its length': `${html}Content-Length: 1000\r\n\r\n${page}`,
  'a body in chunks, cut off in one': `${html}Transfer-Encoding: chunked\r\n\r\n400\r\n${page}`,
  'a body in chunks, cut off between two': `${html}Transfer-Encoding: chunked\r\n\r\n5\r\n<p>ab\r\n`,
  'a body in chunks, cut off before the end of the last': `${html}Transfer-Encoding: chunked\r\n\r\n5\r\n<p>ab\r\n0\r\n`,
  'a body shorter than its length, before a close': `${html}Connection: close\r\nContent-Length: 1000\r\n\r\n${page}`,
  'a body shorter than its length, in HTTP/1.0': `HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n${page}`,
  'a body in chunks, cut off before a close': `${html}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n${page}`,
  'no answer at all': '',
  'headers that are cut off': html,
  'a 100 and nothing else': 'HTTP/1.1 100 Continue\r\n\r\n',
  ...Object.fromEntries(
    [0, 1, 12, 17, 40, bodyAt - 1, bodyAt, bodyAt + 1, bodyAt + 80, whole.length - 1].map((bytes) => [
      `a connection that is reset after ${bytes} bytes`,
      resetAfter(bytes),
    ]),
  ),
};

/** Not tried again: the host means it. */
const wrong: Readonly<Record<string, RawAnswer>> = {
  'a switch of protocols': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  'a switch of protocols, and a page all the same': `HTTP/1.1 101 Switching Protocols\r\n\r\n${whole}`,
  'a header of 129 KiB': `${html}X: ${'x'.repeat(129 * 1024)}\r\n\r\n${page}`,
  '10,000 answers of 103': `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10_000)}${whole}`,
  '100,000 headers': `${html}${'A: bcdefgh\r\n'.repeat(100_000)}\r\n${page}`,
  '1,001 headers': `${html}${'A:\r\n'.repeat(1_000)}\r\n${page}`,
  'a cookie of 1 MB': `${html}Set-Cookie: a=${'x'.repeat(1_000_000)}\r\n\r\n${page}`,
  '10,000 cookies': `${html}${numbered(10_000, 'Set-Cookie: c')}\r\n${page}`,
  'status 99': http(page, { status: '99 Odd' }),
  'status 1000': http(page, { status: '1000 Odd' }),
  'a length and chunks': `${html}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'two lengths': `${html}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
  'a length below zero': `${html}Content-Length: -5\r\n\r\n${page}`,
  'a chunk of a negative size': `${html}Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n`,
  'a chunk of 16 digits': `${html}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello`,
  'HTTP/0.9': page,
  'HTTP/3 in words': `HTTP/3 200 OK\r\n\r\n${page}`,
};

/** What looks wrong and is none of our business. Equal pages would be duplicates. */
const fine: Readonly<Record<string, RawAnswer>> = {
  '120 KiB of headers': http(ordinaryPage('after headers'), { headers: { x: 'x'.repeat(120 * 1024) } }),
  'a carriage return in a header': http(ordinaryPage('after a CR'), { headers: { x: 'a\rb' } }),
  'a NUL in a header': http(ordinaryPage('after a NUL'), { headers: { x: 'a\0b' } }),
  'a header without a colon': `${html}nothing\r\n\r\n${ordinaryPage('after a line without a colon')}`,
  'a line that is folded': http(ordinaryPage('after a fold'), { headers: { x: 'a\r\n b' } }),
  'lines that end with LF': `${html}\r\n`.replaceAll('\r\n', '\n') + ordinaryPage('after LF'),
  'a 100 before the answer': `HTTP/1.1 100 Continue\r\n\r\n${html}\r\n${ordinaryPage('after 100')}`,
  '102, 103 and 100 before the answer': `${[102, 103, 100].map((code) => `HTTP/1.1 ${code} x\r\n\r\n`).join('')}${html}\r\n${ordinaryPage('after three')}`,
  'headers in UTF-8': http(ordinaryPage('behind words'), { headers: { x: 'Zürich 🌾' } }),
  '100 answers of 103 before the right one': `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)}${whole}`,
  'no length, only an end': `${html}\r\n${ordinaryPage('without length')}`,
  'more than its length': `${html}Content-Length: 99\r\n\r\n${ordinaryPage('as long as it says').padEnd(99)}HTTP/1.1 200 OK\r\n\r\nsmuggled`,
  'a byte at a time, within the deadline': drip(`${html}\r\n${ordinaryPage('a slow page')}`, 2),
};

/** Until the head or the body has been awaited for too long. */
const endless: Readonly<Record<string, RawAnswer>> = {
  'headers that come a byte a second': drip(whole, 1_000),
  'a header a second': (socket) => {
    socket.write(html);
    every(socket, 1_000, () => socket.write('A: b\r\n'));
  },
  'answers of 100 for ever': (socket) => every(socket, 20, () => socket.write('HTTP/1.1 100 Continue\r\n\r\n')),
  'answers of 103 for ever': (socket) => every(socket, 20, () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
  'no answer at all': () => {},
  'a body that stops': (socket) => void socket.write(`${html}Content-Length: 1000\r\n\r\n${page}`),
};
/** Beyond the longest silence, and cancelled before the deadline of a fetch. */
const trickling: Readonly<Record<string, RawAnswer>> = {
  'a body that comes a byte a second': (socket) => {
    socket.write(`${html}Content-Length: 1000\r\n\r\n`);
    drip(page.padEnd(1_000), 1_000)(socket);
  },
  'a body in chunks of a byte a second': (socket) => {
    socket.write(`${html}Transfer-Encoding: chunked\r\n\r\n`);
    every(socket, 1_000, () => socket.write('1\r\nx\r\n'));
  },
};
const fetchSilenceMs = 60_000;
/** A connection that nobody needed is closed after a few seconds, and a second attempt may have begun when the job was cancelled. */
const idleConnections = { timeout: fetchSilenceMs + 15_000 };

let service: TestService;
let sites: HostileSites;
let job: JobAnswer;
let ledger: SiteLedger;
let grownMiB: number;
let endlessSites: HostileSites;
let endlessLedger: SiteLedger;
let greeting: RawSite;
let greetingJob: JobAnswer;

/** All three jobs at the same time, since what is slow is slow by its nature. */
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: '12' } });
  await warmUp(service);
  sites = await startHostileSites({ ...broken, ...wrong, ...fine, 'status 799': http(page, { status: '799 Odd' }) });
  endlessSites = await startHostileSites({ ...endless, ...trickling });
  greeting = await startRawSite({ '*': () => {} });
  ({ grownMiB } = await growthOf(service, async () => {
    const beyondDeadline = endWithFirstAttempts();
    const silent = service.crawl({ urls: [`https://${greeting.host}/`] });
    job = await service.crawl({ urls: sites.urls });
    greetingJob = await silent;
    await beyondDeadline;
  }));
  ledger = await ledgerBySite(service, job.id, sites);
});

afterAll(async () => {
  for (const site of [sites, endlessSites, greeting]) await site.close();
  await service.close();
});

/** Four attempts would take two minutes: the job is cancelled when it has been seen how the first ones end. */
async function endWithFirstAttempts(): Promise<void> {
  const { id } = await service.createJob({ urls: endlessSites.urls });
  const names = Object.keys(endless);
  const haveEnded = async (): Promise<boolean> => {
    endlessLedger = await ledgerBySite(service, id, endlessSites);
    return names.every((name) => (endlessLedger.hostile(name)?.attempts ?? 0) > 0);
  };
  await vi.waitUntil(haveEnded, { timeout: 110_000, interval: 200 });
  await service.api(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
}

describe('is tried four times and fails, and is never a page:', () => {
  test.each(Object.keys(broken))('%s', (name) => {
    expect(ledger.hostile(name)).toMatchObject({ status: 'failed', reason: 'reset', attempts: attemptsMax });
    expect(ledger.delivered(name)).toEqual(ordinaryPaths);
  });
});

describe('is no HTTP, and not asked for again:', () => {
  test.each(Object.keys(wrong))('%s', (name) => {
    expect(ledger.hostile(name)).toMatchObject({ status: 'failed', reason: 'bad_response', attempts: 1 });
    expect(ledger.delivered(name)).toEqual(ordinaryPaths);
  });
});

test('a status that no RFC knows fails as such, at once', () => {
  expect(ledger.hostile('status 799')).toMatchObject({ status: 'failed', reason: 'http_799', attempts: 1 });
  expect(ledger.delivered('status 799')).toEqual(ordinaryPaths);
});

describe('is a page all the same:', () => {
  test.each(Object.keys(fine))('%s', (name) => {
    expect(ledger.hostile(name)).toMatchObject({ status: 'scraped', attempts: 1 });
    expect(ledger.delivered(name)).toEqual(ordinaryPaths);
  });
});

describe('ends after a silence of 60 s, to be tried again later:', () => {
  test.each(Object.keys(endless))('%s', (name) => {
    const { status, reason } = endlessLedger.hostile(name)!;
    expect({ status: status === 'inFlight' ? 'queued' : status, reason }).toEqual({
      status: 'queued',
      reason: 'timeout',
    });
    expect(endlessLedger.delivered(name)).toEqual(ordinaryPaths);
  });

  test.each(Object.keys(trickling))('%s is still read meanwhile, and its site is crawled', (name) => {
    expect(endlessLedger.hostile(name)).toMatchObject({ status: 'inFlight', attempts: 0 });
    expect(endlessLedger.delivered(name)).toEqual(ordinaryPaths);
  });

  test('and no connection outlives it', async () => {
    await expect
      .poll(
        () => Object.keys({ ...endless, ...trickling }).filter((name) => endlessSites.of(name).open() > 0),
        idleConnections,
      )
      .toEqual([]);
  });

  test('a TLS handshake that nobody answers: the host is given up', async () => {
    const [row] = await ledgerOf(service, greetingJob.id);
    expect(row).toMatchObject({ url: `https://${greeting.host}/`, status: 'failed', reason: 'connect' });
    expect(greetingJob.findings.map(({ code }) => code)).toContain('host_unreachable');
    expect(greeting.open()).toBe(0);
  });
});

test(`the jobs end, the service lives, and its memory grew by less than ${grownMiBMax} MiB`, async () => {
  expect(job.status).toBe('succeeded');
  // Of its one page nothing was delivered.
  expect(greetingJob.status).toBe('failed');
  expect((await service.api('/healthz')).status).toBe(200);
  expect(service.stderr).toBe('');
  expect(grownMiB).toBeLessThan(grownMiBMax);
});

function resetAfter(bytes: number): RawAnswer {
  return (socket: Socket) => {
    if (bytes === 0) socket.resetAndDestroy();
    else socket.write(whole.slice(0, bytes), () => socket.resetAndDestroy());
  };
}

function numbered(count: number, name: string): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}=x\r\n`).join('');
}

/** Byte after byte, each in a packet of its own. */
function drip(text: string, everyMs: number): (socket: Socket) => void {
  return (socket) => {
    let sent = 0;
    socket.setNoDelay(true);
    every(socket, everyMs, () => {
      socket.write(text.charAt(sent++));
      if (sent === text.length) socket.end();
    });
  };
}

function every(socket: Socket, ms: number, write: () => void): void {
  const timer = setInterval(write, ms);
  socket.on('close', () => clearInterval(timer));
}
