// A client whose connection is cut: an answer read through a socket of its own, up to any byte.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { TestService } from './start-service.ts';

export interface CutAnswer {
  /** 0 where there was no answer at all. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What had come until then. */
  readonly body: Buffer;
  /** The server ended the answer, and nobody cut it. */
  readonly isWhole: boolean;
}

/** Destroys the connection once so many bytes of the body have come, to the byte. */
export function readUntilCut(
  service: TestService,
  path: string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly cutAt: number },
): Promise<CutAnswer> {
  const { promise, resolve } = Promise.withResolvers<CutAnswer>();
  const request = httpRequest(
    {
      host: '127.0.0.1',
      port: service.port,
      path,
      headers: { authorization: `Bearer ${service.token}`, ...options.headers },
      agent: false,
    },
    (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const end = (isWhole: boolean): void => {
        const body = Buffer.concat(chunks).subarray(0, options.cutAt);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, isWhole });
        response.destroy();
      };
      response
        .on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length >= options.cutAt) end(false);
        })
        .on('end', () => end(response.complete))
        .on('error', () => end(false));
    },
  );
  request.on('error', () => resolve({ status: 0, headers: {}, body: Buffer.alloc(0), isWhole: false }));
  request.end();
  return promise;
}

export interface ServerEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: string;
}

/** The events of a stream that arrived whole, as the standard reads them: one that was cut is dropped. */
export function eventsOf(body: Buffer): ServerEvent[] {
  return blocksOf(body).flatMap((block) => {
    const fields = Object.fromEntries(
      block
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    ) as Partial<ServerEvent>;
    const { event = 'message', id, data } = fields;
    return data === undefined ? [] : [{ event, ...(id !== undefined && { id }), data }];
  });
}

/** What stands between two empty lines. */
export function blocksOf(body: Buffer): string[] {
  const whole = body.subarray(0, body.lastIndexOf('\n\n') + 2).toString();
  return whole.split('\n\n').slice(0, -1);
}

/** Lines that arrived whole. */
export function linesOf(body: Buffer): string[] {
  const whole = body.subarray(0, body.lastIndexOf('\n') + 1).toString();
  return whole.split('\n').slice(0, -1);
}
