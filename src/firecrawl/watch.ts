// The WebSocket by which clients of this facade follow a job (RFC 6455): documents as they are committed, then a close with
// the outcome. Clients of JavaScript send the token as the subprotocol, those of Python in a header.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '../api/guard/authenticate.ts';
import { refuseMisdirected } from '../api/guard/misdirected.ts';
import { clientAddress } from '../api/guard/client-address.ts';
import { RateLimit } from '../api/guard/rate-limit.ts';
import { failedTokensPerMinute } from '../api/limits.ts';
import { OrgSlots } from '../api/guard/org-slots.ts';
import type { Api, Service } from '../api/service.ts';
import { UserError } from '../core/errors.ts';
import { getJob } from '../jobs/get-job.ts';
import { followResults } from '../jobs/read-results.ts';
import { parsePage } from '../page/decode.ts';
import { FacadeError, fromUserError } from './facade-error.ts';
import type { FacadeOptions } from './facade-options.ts';
import { jobIdOf, uuidOf } from './job-ids.ts';
import { pollBytesMax, statusOf } from './read-status.ts';
import { toDocument } from './to-document.ts';

/** Watchers of one org at a time. */
const watchersPerOrg = 20;
/** Bytes that a client may send: it has nothing to say but the close. */
const receivedBytesMax = 64 * 1_024;
/** A client that reads nothing for this long is cut off. */
const stalledMs = 60_000;
/** A client that does not close its side after the last frame is cut off. */
const closingMs = 5_000;
/** Finds clients that have gone without a word. */
const keepAliveMs = 30_000;
/** Slashes count as in the router: clients add the path to a base URL that can end with one. */
const pathOf = /^\/+v[12]\/+(?:crawl|batch\/+scrape)\/+([\da-z-]{26,36})\/*(?:\?.*)?$/i;

/** Returns true if a request is for a watcher. Every other request to upgrade gets a plain response, as without this. */
export function isWatcher({ url = '', headers, method }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && pathOf.test(url);
}

/** True if Node can leave single offers to upgrade unanswered: 22.21 and later, 24.9 and later. */
export const canChooseUpgrades = ((): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 9) || (major === 22 && minor >= 21);
})();

/** Does nothing with a Node that cannot choose: watching clients then get an error, and polling works. */
export function watchJobs(api: Api, service: Service, options: FacadeOptions): void {
  if (!canChooseUpgrades) return;
  const slots = new OrgSlots(watchersPerOrg);
  const failures = new RateLimit(failedTokensPerMinute);
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: receivedBytesMax,
    handleProtocols: ([token]) => token ?? false,
  });
  sockets.on('wsClientError', ({ message }, socket) => refuse(socket, new FacadeError(400, 'BAD_REQUEST', message)));
  api.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    watch(request, { socket, head }, { service, options, slots, failures, sockets }).catch((error: unknown) => {
      options.log.error('a watcher failed', { error });
      socket.destroy();
    });
  });
}

interface Parts {
  readonly service: Service;
  readonly options: FacadeOptions;
  readonly slots: OrgSlots;
  /** Wrong tokens, by address. */
  readonly failures: RateLimit;
  readonly sockets: WebSocketServer;
}

async function watch(
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  parts: Parts,
): Promise<void> {
  const { service, slots, sockets } = parts;
  let giveBack: (() => void) | undefined;
  const opened: { client?: WebSocket } = {};
  const gone = new AbortController();
  const stop = (): void => {
    gone.abort('gone');
    endSoon(socket);
  };
  service.stopping.addEventListener('abort', stop);
  socket.once('close', stop);
  try {
    const caller = await admit(request, parts);
    const id = jobIdOf(pathOf.exec(request.url ?? '')?.[1] ?? '');
    await getJob(service.jobs, caller.org, id);
    giveBack = slots.take(caller.org);
    if (!giveBack) throw new FacadeError(429, 'TOO_MANY_WATCHERS', `Only ${watchersPerOrg} watchers at a time.`);
    sockets.handleUpgrade(request, socket, head, (client) => (opened.client = client));
    const { client } = opened;
    if (!client) return;
    request.socket.setKeepAlive(true, keepAliveMs);
    let bytes = 0;
    client
      // The close follows.
      .on('error', () => {})
      .on('message', (data: Buffer) => {
        bytes += data.length;
        if (bytes > receivedBytesMax) client.terminate();
      });
    await sendDocuments(service, caller.org, id, client, gone.signal);
  } catch (error) {
    const known = error instanceof UserError ? fromUserError(error) : error;
    if (!(known instanceof FacadeError)) throw error;
    refuse(socket, known);
  } finally {
    service.stopping.removeEventListener('abort', stop);
    giveBack?.();
    endSoon(socket);
  }
}

function endSoon(socket: Duplex): void {
  setTimeout(() => socket.destroy(), closingMs).unref();
}

/** The token is the subprotocol, since a browser cannot send it in another way, or `Authorization` of another client. */
async function admit(request: IncomingMessage, { options, failures }: Parts): Promise<Caller> {
  const { authenticator, host } = options;
  refuseMisdirected(request, host);
  const { authorization = '', 'sec-websocket-protocol': protocols = '' } = request.headers;
  const token = /^bearer +(\S+)$/iu.exec(authorization)?.[1] ?? protocols.split(',', 1)[0]?.trim() ?? '';
  const caller = await authenticator.find(token);
  if (!caller) {
    if (failures.hit(clientAddress(request.socket)) > 0)
      throw new FacadeError(429, 'RATE_LIMITED', 'This address sent too many wrong tokens. Check the token.');
    throw new FacadeError(
      401,
      'UNAUTHORIZED',
      'Send the token as the WebSocket protocol, or in `Authorization: Bearer TOKEN`.',
    );
  }
  if (!caller.permissions.includes('read')) throw new FacadeError(403, 'PERMISSION_DENIED', 'The token cannot read.');
  return caller;
}

/** Answers before the upgrade, as plain HTTP. */
function refuse(socket: Duplex, { status, message, code }: FacadeError): void {
  if (socket.destroyed) return;
  const body = JSON.stringify({ success: false, error: message, code });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

async function sendDocuments(
  service: Service,
  org: string,
  id: string,
  client: WebSocket,
  signal: AbortSignal,
): Promise<void> {
  const job = await getJob(service.jobs, org, id);
  let isFirst = true;
  const query = { after: 0, limit: 100, withText: true, bytesMax: pollBytesMax };
  for await (const slice of followResults(service, org, id, query, signal)) {
    const rows = slice.pages.map((stored) => {
      const { meta, text, formats, extracted } = parsePage(stored);
      return toDocument(
        { ...meta, metadata: meta.meta, text, formats, extracted },
        job.spec,
        `${uuidOf(id)}-${stored.page}`,
      );
    });
    slice.release();
    if (isFirst) {
      isFirst = false;
      // Never `completed`: a client would take that for the end, and more documents follow one by one.
      const data = { success: true, ...statusOf(job), status: 'scraping', data: rows };
      await send(client, { type: 'catchup', data });
      continue;
    }
    for (const data of rows) {
      if (signal.aborted) return;
      await send(client, { type: 'document', data });
    }
  }
  if (signal.aborted && !service.stopping.aborted) return;
  const { status } = statusOf(await getJob(service.jobs, org, id));
  // One client reads the reason of the close, another polls once afterwards. A `done` message would make a failed job
  // look complete.
  const reason =
    status === 'completed'
      ? { type: 'done' }
      : { type: 'error', error: status === 'scraping' ? 'The service is stopping.' : `The job is ${status}.` };
  client.close(1_000, JSON.stringify(reason));
}

/** Sends one message, and waits until a slow client has taken it. */
function send(client: WebSocket, message: object): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => client.terminate(), stalledMs);
    client.send(JSON.stringify(message), () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
