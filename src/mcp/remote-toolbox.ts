// The tools of a running service, which is reached over HTTP.
import type { ToolResponse, Toolbox } from './toolbox.ts';

export interface PostedResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export interface RemoteToolboxOptions {
  /** The service, for messages. */
  readonly server: string;
  /** Posts a message to `/mcp` of the service. Rejects if there is no response. */
  readonly post: (
    message: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<PostedResponse>;
}

/** The revision of the protocol in which one message without a session is enough. */
const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
const id = 1;

/** Runs the tools in a service. A call that is aborted here ends there, because its connection closes. */
export function remoteToolbox({ server, post }: RemoteToolboxOptions): Toolbox {
  return {
    call: async (name, args, signal) => {
      const message = JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: args ?? {} },
      });
      let response: PostedResponse;
      try {
        response = await post(message, headers, signal);
      } catch (error) {
        const why = error instanceof Error && error.message !== '' ? error.message : 'no connection';
        return failure(
          'unavailable',
          `The service at ${server} cannot be reached (${why}). Check that it runs, and HAYRAKE_URL.`,
        );
      }
      return read(response, server);
    },
  };
}

function read({ status, contentType, text }: PostedResponse, server: string): ToolResponse {
  const message = parse(contentType.startsWith('text/event-stream') ? lastEvent(text) : text);
  const { result, error, code, detail } = message;
  if (isToolResult(result)) {
    const parts = result.content.map((part) => (typeof part.text === 'string' ? part.text : ''));
    return { text: parts.join('\n'), isError: result.isError === true };
  }
  if (typeof code === 'string' && typeof detail === 'string') return failure(code, `${detail}${remedyFor(status)}`);
  if (typeof error === 'object' && error !== null && 'message' in error)
    return failure('bad_request', `The service at ${server} refused the call: ${String(error.message).slice(0, 500)}`);
  return failure(
    'unavailable',
    `What answers at ${server} is not a hayrake service with /mcp (status ${status}). Check HAYRAKE_URL.`,
  );
}

function remedyFor(status: number): string {
  if (status === 401) return ' Here the token comes from HAYRAKE_TOKEN.';
  return status === 404 ? ' The service may be too old for /mcp.' : '';
}

function failure(code: string, message: string): ToolResponse {
  return { text: `${code}: ${message}`, isError: true };
}

/** The stream of one call has one message, after comments that keep the connection open. */
function lastEvent(stream: string): string {
  const data = stream.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return data.at(-1)?.slice('data:'.length) ?? '';
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // Not from a service: reported above by its status.
    return {};
  }
}

interface ToolResult {
  readonly content: readonly { readonly text?: unknown }[];
  readonly isError?: unknown;
}

function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
}
