// A model that knows the records: it recognises a page by a text that only that page has.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Records = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

export interface ModelCall {
  readonly authorization: string | undefined;
  readonly form: string;
  readonly prompt: string;
  readonly task: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Body {
  readonly messages: readonly [{ readonly content: string }, { readonly content: string }];
  readonly response_format?: { readonly type: string };
}

/** Returns true if it has answered the call itself. */
export type Mode = (call: ModelCall, response: ServerResponse, record: Readonly<Record<string, unknown>>) => boolean;

export class ScriptedModel {
  readonly calls: ModelCall[] = [];
  mode: Mode = () => false;
  records: Records;
  url = '';
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  constructor(records: Records) {
    this.records = records;
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
    return this.url;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The answer for a page without a record. */
  #nothing(): Readonly<Record<string, unknown>> {
    const [[, first = {}] = []] = this.records;
    return Object.fromEntries(Object.keys(first).map((name) => [name, null]));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    const prompt = body.messages[1].content;
    const call: ModelCall = {
      authorization: request.headers.authorization,
      form: body.response_format?.type ?? 'prompt',
      task: body.messages[0].content,
      prompt,
      body: body as unknown as Readonly<Record<string, unknown>>,
    };
    this.calls.push(call);
    const [, record = this.#nothing()] = [...this.records].find(([key]) => prompt.includes(key)) ?? [];
    if (!this.mode(call, response, record)) say(response, JSON.stringify(record));
  }
}

/** A response with this message. */
export function say(response: ServerResponse, content: string): boolean {
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
  return true;
}

export function refuse(response: ServerResponse, status: number): boolean {
  response.writeHead(status).end('{"error":"no"}');
  return true;
}
