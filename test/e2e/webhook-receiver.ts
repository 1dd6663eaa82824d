// A webhook whose every answer a test decides. It writes down what it was told, byte for byte.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Told {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface WebhookEventBody {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly id: string;
    readonly status: string;
    readonly progress: Readonly<Record<string, number>>;
    readonly finishedAt: number | null;
    readonly pages?: { readonly from: number; readonly to: number };
  };
}

/** What to answer, told how often something came before; undefined never answers. */
export type Reply = (told: Told, earlier: number) => ReplyHead | undefined;

export interface ReplyHead {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ok: Reply = () => ({ status: 204 });

export class WebhookReceiver {
  /** In the order of arrival. */
  readonly told: Told[] = [];
  readonly #server = createServer((request, response) => void this.#take(request, response));
  readonly #waiting = new Set<() => void>();
  #reply: Reply;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  /** On a free port of loopback. */
  static async start(reply: Reply = ok): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(reply);
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  replyWith(reply: Reply): void {
    this.#reply = reply;
  }

  /** What was told of one kind of event. */
  of(type: string): Told[] {
    return this.told.filter(({ body }) => bodyOf(body).type === type);
  }

  /** Resolves when what was told is as it is waited for. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!condition()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '/', headers } = request;
    const told = { path, headers, body: Buffer.concat(chunks).toString(), at: Date.now() };
    const reply = this.#reply(told, this.told.length);
    this.told.push(told);
    if (reply) response.writeHead(reply.status, reply.headers).end();
    for (const look of this.#waiting) look();
  }
}

export function bodyOf(body: string): WebhookEventBody {
  return JSON.parse(body) as WebhookEventBody;
}

/** Checks what was told as a receiver does, with the library of Standard Webhooks. Throws where it is not genuine. */
export function verify(key: string, { body, headers }: Pick<Told, 'body' | 'headers'>): unknown {
  return new Webhook(key).verify(body, headers as Record<string, string>);
}
