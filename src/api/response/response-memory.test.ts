import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ResponseMemory } from './response-memory.ts';

const answerBytes = 1_500_000;

describe('ResponseMemory', () => {
  let server: Server;
  let port = 0;
  const used = new Set<ArrayBufferLike>();

  /** `/N` responds with that many bytes of the value N. */
  beforeEach(async () => {
    used.clear();
    const memory = new ResponseMemory();
    server = createServer(({ url = '' }, response) => {
      const bytes = memory.take(answerBytes, response).fill(Number(url.slice(1)));
      used.add(bytes.buffer);
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const get = async (value: number): Promise<Buffer> => {
    const [response] = (await once(request({ port, path: `/${value}`, agent: false }).end(), 'response')) as [
      AsyncIterable<Buffer>,
    ];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  /** Byte values of the responses to pipelined requests, read slowly. */
  const pipelined = async (values: readonly number[]): Promise<number[]> => {
    const socket = connect({ port, host: '127.0.0.1' });
    const requests = values.map((value, index) => {
      const connection = index === values.length - 1 ? 'close' : 'keep-alive';
      return `GET /${value} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n\r\n`;
    });
    socket.write(requests.join(''));
    const received: Buffer[] = [];
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received.push(chunk);
      if (received.length % 16 === 0) await sleep(1);
    }
    const all = Buffer.concat(received).toString('latin1');
    return all
      .split('\r\n\r\n')
      .slice(1)
      .map((answer) => {
        const body = answer.slice(0, answerBytes);
        expect(body).toBe((body[0] ?? '').repeat(answerBytes));
        return body.codePointAt(0) ?? -1;
      });
  };

  it('AnswerMemory: reuses its buffer for the next response', async () => {
    for (let value = 0; value < 20; value++)
      expect((await get(value)).equals(Buffer.alloc(answerBytes, value))).toBe(true);
    expect(used.size).toBe(1);
  });

  it('AnswerMemory: never shares a buffer between two responses when clients read slowly', async () => {
    const columns = [0, 1, 2, 3].map((column) => Array.from({ length: 12 }, (_, index) => 100 + column * 12 + index));
    expect(await Promise.all(columns.map(pipelined))).toEqual(columns);
  });

  it('AnswerMemory: does not reuse the buffer when the client leaves before the end', async () => {
    for (let value = 0; value < 20; value++) {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.write(`GET /${value} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await once(socket, 'data');
      socket.destroy();
      expect((await get(100 + value)).equals(Buffer.alloc(answerBytes, 100 + value))).toBe(true);
    }
  });

  it('AnswerMemory: allocates separate memory for a long response', async () => {
    const response = { once: (): never => expect.unreachable() };
    expect(new ResponseMemory().take(10_000_000, response as never)).toHaveLength(10_000_000);
  });
});
