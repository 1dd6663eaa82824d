// Objects in a bucket of S3, or of a store with its API. Path style: `endpoint/bucket/prefix/name`.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { decodeXML } from 'entities';
import { Agent, type Dispatcher } from 'undici';
import type { SegmentPlace } from '../../core/ports/blobs.ts';
import { ObjectStoreError, type ListedObjects, type ObjectStore } from '../../core/ports/object-store.ts';
import type { PrivateNetwork } from '../guard/address-policy.ts';
import { trustAuthorities } from '../guard/trusted-authorities.ts';
import { plainLookup, refusePlainText } from './plain-text.ts';
import { answerError, connectionError } from './s3-errors.ts';

export interface S3Options {
  readonly bucket: string;
  /** Without slashes at its ends; can be empty. */
  readonly prefix: string;
  readonly endpoint: URL;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** Networks that may be spoken to without TLS. */
  readonly allowPrivate: readonly PrivateNetwork[];
  /** PEM certificates of further authorities to trust. */
  readonly authorities: readonly string[];
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Wall clock for one request: 8 MiB at 140 kB/s. */
const requestMs = 60_000;
const [connectMs, silenceMs] = [10_000, 20_000];
/** Requests at the same time. */
const connectionsMax = 16;
/** A list of 1,000 names takes 400 KiB. */
const documentBytesMax = 4 * 2 ** 20;
const objectBytesMax = 64 * 2 ** 20;
/** Pauses before reads, lists and deletes are tried again. A PUT is tried again by its caller. */
const retryMs = [200, 1_000];
const skewMs = 15 * 60_000;

interface S3Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

interface Ask {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Without one, the bucket. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly bytesMax: number;
}

/** Throws an {@link ObjectStoreError} if the endpoint would get the data without TLS. */
export function createS3Client(options: S3Options): ObjectStore {
  refusePlainText(options.endpoint, options.allowPrivate);
  return new S3Client(options);
}

class S3Client implements ObjectStore {
  readonly place: string;
  readonly #options: S3Options;
  readonly #agent: Agent;
  /** Of the signer: keys that it derives each day. */
  readonly #keys = new Map<string, ArrayBuffer>();
  readonly #folder: string;

  constructor(options: S3Options) {
    const { bucket, prefix, endpoint, allowPrivate, authorities } = options;
    this.#options = options;
    this.place = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
    this.#folder = prefix === '' ? '' : `${prefix}/`;
    // Neither a proxy nor the guard of crawls: the operator named this address. Redirects are not followed.
    this.#agent = new Agent({
      connections: connectionsMax,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      connect: {
        timeout: connectMs,
        ...(authorities.length > 0 && { secureContext: trustAuthorities(authorities) }),
        ...(endpoint.protocol === 'http:' && { lookup: plainLookup(allowPrivate, endpoint) }),
      },
    });
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream' };
    await this.#ask({ method: 'PUT', name, body: bytes, headers, bytesMax: documentBytesMax }, [200, 201, 204]);
  }

  async get(name: string, range?: Pick<SegmentPlace, 'at' | 'size'>): Promise<Buffer | undefined> {
    if (range?.size === 0) return Buffer.alloc(0);
    const headers = range && { range: `bytes=${range.at}-${range.at + range.size - 1}` };
    const bytesMax = range ? range.size : objectBytesMax;
    const ask: Ask = { method: 'GET', name, bytesMax, ...(headers && { headers }) };
    const response = await this.#retried(ask, [200, 206, 404, 416]);
    if (response.status === 404 && codeIn(response.body) === 'NoSuchBucket') throw this.#refusal(response);
    if (response.status === 404 || response.status === 416) return undefined;
    return range && response.body.length !== range.size ? undefined : response.body;
  }

  async delete(names: readonly string[]): Promise<void> {
    const left = [...names];
    const one = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        const response = await this.#retried({ method: 'DELETE', name, bytesMax: documentBytesMax }, [200, 204, 404]);
        if (response.status === 404 && codeIn(response.body) === 'NoSuchBucket') throw this.#refusal(response);
      }
    };
    // One by one: `DeleteObjects` needs a checksum that stores do not agree on.
    await Promise.all(Array.from({ length: connectionsMax / 2 }, one));
  }

  async *list(prefix: string): AsyncGenerator<ListedObjects> {
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const query = {
        'list-type': '2',
        prefix: this.#folder + prefix,
        ...(token !== undefined && { 'continuation-token': token }),
      };
      const response = await this.#retried({ method: 'GET', query, bytesMax: documentBytesMax }, [200]);
      const listed = listIn(response.body);
      const objects = listed.objects
        .filter(({ name }) => name.startsWith(this.#folder))
        .map(({ name, bytes, modifiedAt }) => ({ name: name.slice(this.#folder.length), bytes, modifiedAt }));
      yield { objects, now: dateOf(response) ?? Date.now() };
      token = listed.next;
    }
  }

  async examine(): Promise<{ clockAheadMs: number; isVersioned: boolean; isLocked: boolean }> {
    const list = { 'list-type': '2', prefix: this.#folder, 'max-keys': '1' };
    const found = await this.#retried({ method: 'GET', query: list, bytesMax: documentBytesMax }, [200]);
    const date = dateOf(found);
    const setting = async (name: string): Promise<string> => {
      // Stores and accounts without the right to read a setting refuse in many ways.
      const ask: Ask = { method: 'GET', query: { [name]: '' }, bytesMax: documentBytesMax };
      const { status, body } = await this.#send(ask).catch(() => ({ status: 0, body: Buffer.alloc(0) }));
      return status === 200 ? body.toString('utf8', 0, 4_096) : '';
    };
    return {
      clockAheadMs: date === undefined ? 0 : Date.now() - date,
      isVersioned: (await setting('versioning')).includes('<Status>Enabled</Status>'),
      isLocked: (await setting('object-lock')).includes('<ObjectLockEnabled>Enabled</ObjectLockEnabled>'),
    };
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #retried(ask: Ask, expected: readonly number[]): Promise<S3Response> {
    for (const pauseMs of retryMs) {
      try {
        return await this.#ask(ask, expected);
      } catch (error) {
        if (!(error instanceof ObjectStoreError) || error.kind === 'refused') throw error;
        await sleep(pauseMs * (0.5 + Math.random()));
      }
    }
    return this.#ask(ask, expected);
  }

  async #ask(ask: Ask, expected: readonly number[]): Promise<S3Response> {
    const response = await this.#send(ask);
    if (expected.includes(response.status)) return response;
    throw this.#refusal(response);
  }

  #refusal({ status, headers, body }: S3Response): ObjectStoreError {
    const { bucket, endpoint, region } = this.#options;
    const date = dateOf({ headers });
    const isSkewed = date !== undefined && Math.abs(Date.now() - date) > skewMs;
    return answerError(status, codeIn(body), { bucket, endpoint, region, isSkewed });
  }

  async #send({ method, name, query = {}, headers = {}, body, bytesMax }: Ask): Promise<S3Response> {
    const { endpoint, bucket, region, credentials } = this.#options;
    const base = endpoint.href.replace(/\/$/, '');
    const key = name === undefined ? '' : `/${`${this.#folder}${name}`.split('/').map(encodeURIComponent).join('/')}`;
    const url = new URL(`${base}/${bucket}${key}`);
    for (const [field, value] of Object.entries(query)) url.searchParams.set(field, value);
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const signed = await new AwsV4Signer({
      ...credentials,
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': hash },
      service: 's3',
      region,
      cache: this.#keys,
    } as ConstructorParameters<typeof AwsV4Signer>[0]).sign();
    try {
      const {
        statusCode,
        headers: fields,
        body: stream,
      } = await this.#agent.request({
        origin: url.origin,
        path: url.href.slice(url.origin.length),
        method,
        headers: Object.fromEntries(signed.headers),
        body: body ?? null,
        signal: AbortSignal.timeout(requestMs),
      });
      return {
        status: statusCode,
        headers: fields,
        body: await bytesOf(stream, statusCode < 300 ? bytesMax : documentBytesMax),
      };
    } catch (error) {
      throw error instanceof ObjectStoreError ? error : connectionError(error, endpoint);
    }
  }
}

/** A store that ignores a range would send the whole object. */
async function bytesOf(stream: Dispatcher.ResponseData['body'], bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new ObjectStoreError('refused', 'The object store sends more than was asked for.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function dateOf({ headers }: Pick<S3Response, 'headers'>): number | undefined {
  const time = Date.parse(String(headers['date']));
  return Number.isNaN(time) ? undefined : time;
}

// What is read of the XML of S3. Names that this program gives need no unescaping, except for their prefix.

/** The code of an error; undefined if the body has none. */
function codeIn(body: Buffer): string | undefined {
  return /<Code>([A-Za-z.]{1,100})<\/Code>/.exec(body.toString('utf8', 0, 8_192))?.[1];
}

interface List {
  readonly objects: readonly { readonly name: string; readonly bytes: number; readonly modifiedAt: number }[];
  /** Continues the list. */
  readonly next: string | undefined;
}

function listIn(body: Buffer): List {
  const xml = body.toString();
  const objects = xml
    .split('<Contents>')
    .slice(1)
    .map((part) => ({
      name: decodeXML(fieldIn(part, 'Key') ?? ''),
      bytes: Number(fieldIn(part, 'Size') ?? 0),
      modifiedAt: Date.parse(fieldIn(part, 'LastModified') ?? ''),
    }));
  const isCut = fieldIn(xml, 'IsTruncated') === 'true';
  const token = fieldIn(xml, 'NextContinuationToken');
  return { objects, next: isCut && token !== undefined ? decodeXML(token) : undefined };
}

function fieldIn(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  if (start === -1) return undefined;
  const from = start + name.length + 2;
  const end = xml.indexOf(`</${name}>`, from);
  return end === -1 ? undefined : xml.slice(from, end);
}
