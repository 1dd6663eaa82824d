import { createMcpHandler } from '@modelcontextprotocol/server';
import { createProtocolServer, type ProtocolServerOptions } from './protocol-server.ts';
import { localToolbox, type LocalToolboxOptions } from './toolbox.ts';

/** A request of the streamable HTTP transport. */
export interface McpRequest {
  readonly headers: Headers;
  /** The parsed body. */
  readonly body: unknown;
}

/**
 * Answers one request of the streamable HTTP transport, of any revision of the protocol. Nothing is kept between
 * requests. The response is one JSON object, or a stream of events, which ends with the call or when `signal` fires.
 */
export function answerMcp(
  { headers, body }: McpRequest,
  options: ProtocolServerOptions & LocalToolboxOptions,
): Promise<Response> {
  const toolbox = localToolbox(options);
  const { fetch } = createMcpHandler(() => createProtocolServer(toolbox, options), { maxSubscriptions: 1 });
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, signal: options.signal });
  return fetch(request, body === undefined ? {} : { parsedBody: body });
}
