// Collects all garbage of a program, in each of its threads, through its inspector. The resident memory afterwards is
// what the program needs, independent of V8's last collection.
import { once } from 'node:events';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message: string };
  readonly error?: { readonly message: string };
}

/** `url`: the inspector URL that the program prints at its start, `ws://…`. */
export async function collectGarbage(url: string): Promise<void> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  try {
    const program = new Session((text) => socket.send(text));
    const threads = new Map<string, Session>();
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      const { params } = message;
      if (message.method === 'NodeWorker.attachedToWorker' && params) {
        const { sessionId } = params;
        const send = (text: string): void =>
          void program.ask('NodeWorker.sendMessageToWorker', { sessionId, message: text });
        threads.set(sessionId, new Session(send));
      } else if (message.method === 'NodeWorker.receivedMessageFromWorker' && params) {
        threads.get(params.sessionId)?.received(JSON.parse(params.message) as Message);
      } else {
        program.received(message);
      }
    });
    await program.ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
    for (const session of [...threads.values(), program]) await session.ask('HeapProfiler.collectGarbage');
  } finally {
    socket.close();
  }
}

class Session {
  readonly #send: (text: string) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #lastId = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  ask(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<void>();
    this.#waiting.set(id, answer);
    this.#send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  received({ id, error }: Message): void {
    const answer = id === undefined ? undefined : this.#waiting.get(id);
    if (error) answer?.reject(new Error(error.message));
    else answer?.resolve();
  }
}
