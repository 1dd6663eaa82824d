// The official client, over both transports, as hosts of models use it.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mainModule } from '../main-module.ts';
import type { TestService } from '../service/start-service.ts';

/** `modern`: the revision of July 2026, without a handshake. `legacy`: those before it, which begin with `initialize`. */
export type Era = 'modern' | 'legacy';

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface McpClient {
  readonly client: Client;
  call(name: string, args?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ToolResult>;
  close(): Promise<void>;
}

export async function connectOverHttp(
  service: TestService,
  era: Era = 'legacy',
  headers: Readonly<Record<string, string>> = {},
): Promise<McpClient> {
  const transport = new StreamableHTTPClientTransport(new URL(`${service.origin}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${service.token}`, ...headers } },
  });
  const client = newClient(era);
  await client.connect(transport);
  return wrap(client);
}

export interface StdioOptions {
  readonly era?: Era;
  readonly env?: Readonly<Record<string, string>>;
  /** The program, with its first arguments. @default the one that is tested */
  readonly program?: readonly [string, ...string[]];
  readonly cwd?: string;
}

/** Starts `hayrake mcp` with these arguments. */
export async function connectOverStdio(
  args: readonly string[],
  { era = 'legacy', env = {}, program = [process.execPath, mainModule], cwd }: StdioOptions = {},
): Promise<McpClient & { readonly pid: number | null; readonly stderr: () => string }> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('HAYRAKE_'),
  );
  const transport = new StdioClientTransport({
    command: program[0],
    args: [...program.slice(1), 'mcp', ...args],
    ...(cwd !== undefined && { cwd }),
    env: { ...Object.fromEntries(inherited), HAYRAKE_BROWSER: 'off', ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const client = newClient(era);
  await client.connect(transport);
  return { ...wrap(client), pid: transport.pid, stderr: () => stderr };
}

function newClient(era: Era): Client {
  const info = { name: 'test', version: '1.0.0' };
  return new Client(info, era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {});
}

function wrap(client: Client): McpClient {
  return {
    client,
    call: async (name, args = {}, signal) => {
      const result = await client.callTool({ name, arguments: args }, { ...(signal && { signal }) });
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { text, isError: result.isError === true };
    },
    close: () => client.close(),
  };
}
