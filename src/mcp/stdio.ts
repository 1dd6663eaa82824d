import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createProtocolServer } from './protocol-server.ts';
import type { Toolbox } from './toolbox.ts';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly version: string;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
}

/** Serves one client until it closes our input or output, or the signal fires. Calls in progress are aborted then. */
export async function serveMcpOverStdio(toolbox: Toolbox, options: StdioOptions): Promise<void> {
  const { input, output, version, signal, onError } = options;
  const ended = new AbortController();
  const transport = new Transport(input, output, () => ended.abort());
  const handle = serveStdio(() => createProtocolServer(toolbox, { version, signal: ended.signal }), {
    transport,
    onerror: onError,
  });
  const end = AbortSignal.any([signal, ended.signal]);
  if (!end.aborted) await new Promise((resolve) => end.addEventListener('abort', resolve));
  ended.abort();
  await handle.close();
}

/** Reports when it closes. */
class Transport extends StdioServerTransport {
  readonly #onClosed: () => void;

  constructor(input: Readable, output: Writable, onClosed: () => void) {
    super(input, output);
    this.#onClosed = onClosed;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClosed();
  }
}
