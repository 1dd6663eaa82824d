// Answers each request of one page: with the document, with an empty body, or with the response that `ask` fetched,
// within a budget.
import type { RenderInput, Resource, ResourceRequest } from '../core/ports/renderer.ts';
import { answerTo, headersForBrowser } from './answer-request.ts';
import type { BrowserClock } from './browser-clock.ts';
import { type CdpFields, fieldsOf, textOf } from './cdp-pipe.ts';

/** Requests of a page that are fetched. */
const askedMax = 60;
/** Scripts besides. */
const scriptsMax = 500;
const limitOf = { requests: askedMax, scripts: scriptsMax } as const;
/** Bytes of their responses. */
const bytesMax = 20 * 2 ** 20;
/** Requests of any kind. A page that makes more is given up. */
const requestsMax = 2_000;
const postBytesMax = 2 ** 20;
const headersMax = 50;
const headerLengthMax = 8_192;

export interface PageRequestsParts {
  readonly clock: BrowserClock;
  /** The page's main frame. */
  readonly frameId: string;
  send(method: string, params: CdpFields): Promise<CdpFields>;
  /** Called right before the document is handed over. */
  onDocument(): void;
  onRedirect(url: string): void;
  onFlood(): void;
}

export class PageRequests {
  readonly #input: RenderInput;
  readonly #parts: PageRequestsParts;
  readonly #stop = new AbortController();
  /** URL of an earlier page of the tab, if the last navigation leads there. */
  #goesBackTo = '';
  /** The document was handed over. */
  hasDocument = false;
  #count = 0;
  #bytes = 0;
  readonly #asked = { requests: 0, scripts: 0 };
  /** The limit that has cut off requests, in words. */
  cut: string | undefined;

  constructor(input: RenderInput, parts: PageRequestsParts) {
    this.#input = input;
    this.#parts = parts;
  }

  /** Requests that were fetched. */
  get asked(): number {
    return this.#asked.requests + this.#asked.scripts;
  }

  /** Aborts the fetches that are under way. */
  close(): void {
    this.#stop.abort();
  }

  /** Call with every navigation that starts. */
  noteNavigation(params: CdpFields): void {
    if (textOf(params, 'frameId') !== this.#parts.frameId) return;
    this.#goesBackTo =
      textOf(params, 'navigationType') === 'historyDifferentDocument' ? withoutFragment(textOf(params, 'url')) : '';
  }

  /** Call with every request that the browser paused. */
  response(params: CdpFields): void {
    const requestId = textOf(params, 'requestId');
    const request = fieldsOf(params, 'request');
    if (++this.#count > requestsMax) {
      this.#parts.onFlood();
      return;
    }
    const url = textOf(request, 'url');
    const response = answerTo(
      {
        url,
        method: textOf(request, 'method'),
        type: textOf(params, 'resourceType'),
        isMainFrame: textOf(params, 'frameId') === this.#parts.frameId,
        isHistory: textOf(request, 'url') === this.#goesBackTo,
      },
      {
        documentUrl: withoutFragment(this.#input.url),
        hasDocument: this.hasDocument,
        blockResources: this.#input.blockResources,
      },
    );
    switch (response.kind) {
      case 'document':
        this.#handOver(requestId);
        break;
      case 'redirect':
        this.#redirect(requestId, url);
        break;
      case 'empty': {
        const { contentType, body } = response;
        const headers = [
          ['content-type', contentType],
          ['access-control-allow-origin', '*'],
        ] as const;
        this.#fulfil(requestId, { kind: 'resource', statusCode: 200, headers, body });
        break;
      }
      case 'ask': {
        const { method, isStatic } = response;
        const headers = headersOf(fieldsOf(request, 'headers'));
        const kind = textOf(params, 'resourceType') === 'Script' ? 'scripts' : 'requests';
        void this.#ask(requestId, kind, { url, method, headers, isStatic, signal: this.#stop.signal }, request);
        break;
      }
      case 'refuse':
        // A document that fails would be replaced by an error page.
        if (textOf(params, 'resourceType') === 'Document') this.#abort(requestId);
        else this.#refuse(requestId);
        break;
    }
  }

  #handOver(requestId: string): void {
    const { contentType, body, statusCode } = this.#input;
    this.hasDocument = true;
    this.#parts.onDocument();
    const headers = contentType === '' ? [] : [['content-type', contentType] as const];
    this.#fulfil(requestId, { kind: 'resource', statusCode, headers, body });
  }

  /** A redirect of the page to itself would loop, so it is not reported. */
  #redirect(requestId: string, url: string): void {
    this.#abort(requestId);
    if (withoutFragment(url) !== withoutFragment(this.#input.url)) this.#parts.onRedirect(url);
  }

  async #ask(
    requestId: string,
    kind: keyof typeof limitOf,
    asking: ResourceRequest,
    request: CdpFields,
  ): Promise<void> {
    const isOver = this.#asked[kind] >= limitOf[kind];
    if (isOver || this.#bytes >= bytesMax) {
      this.cut ??= isOver ? `more than ${limitOf[kind]} ${kind}` : 'more than 20 MiB of resources';
      this.#refuse(requestId);
      return;
    }
    this.#asked[kind]++;
    const body = postedBytes(request);
    if (body === 'too large') {
      this.#refuse(requestId);
      return;
    }
    const work = this.#input.ask({ ...asking, ...(body && { body }) });
    const got = await this.#parts.clock.standStill(work).catch(() => undefined);
    if (this.#stop.signal.aborted) return;
    if (got?.kind !== 'resource' || this.#bytes + got.body.length > bytesMax) {
      if (got?.kind === 'resource') this.cut ??= 'more than 20 MiB of resources';
      this.#refuse(requestId);
      return;
    }
    this.#bytes += got.body.length;
    this.#fulfil(requestId, got);
  }

  #fulfil(requestId: string, { statusCode, headers, body }: Resource): void {
    this.#tell('Fetch.fulfillRequest', {
      requestId,
      responseCode: statusCode,
      responseHeaders: headersForBrowser(headers),
      body: Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64'),
    });
  }

  #refuse(requestId: string): void {
    this.#tell('Fetch.failRequest', { requestId, errorReason: 'Failed' });
  }

  #abort(requestId: string): void {
    this.#tell('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  }

  /** The tab might be gone. */
  #tell(method: string, params: CdpFields): void {
    this.#parts.send(method, params).catch(() => {});
  }
}

/** Headers that the browser sets itself, or that apply to the connection. */
const headersLeftOut =
  /^(?:host|connection|content-length|accept-encoding|user-agent|proxy-.*|sec-ch-.*|upgrade.*|te|:.*)$/u;

function headersOf(given: CdpFields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(
        (pair): pair is [string, string] =>
          typeof pair[1] === 'string' && pair[1].length <= headerLengthMax && !headersLeftOut.test(pair[0]),
      )
      .filter(([, value]) => /^[\x20-\x7e\x80-\xff\t]*$/u.test(value))
      .slice(0, headersMax),
  );
}

function postedBytes(request: CdpFields): Uint8Array | undefined | 'too large' {
  const entries = request['postDataEntries'];
  const pieces = Array.isArray(entries)
    ? entries.map((entry: CdpFields) => Buffer.from(textOf(entry, 'bytes'), 'base64'))
    : [];
  const body = pieces.length > 0 ? Buffer.concat(pieces) : Buffer.from(textOf(request, 'postData'));
  if (body.length === 0) return undefined;
  return body.length > postBytesMax ? 'too large' : new Uint8Array(body);
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
