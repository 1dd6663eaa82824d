// `hayrake mcp`: the tools for one client, which starts this process and speaks with it over its standard streams.
import { Writable } from 'node:stream';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Toolbox } from '../../mcp/toolbox.ts';
import { serverOf } from '../access.ts';
import { type Flags, textFlag } from '../flags.ts';
import { placeOf } from '../output/place.ts';
import type { Program } from '../program.ts';
import { stopSignals } from '../stop-signals.ts';

/** Serves until the client closes our input or output, or a signal arrives. */
export async function runMcp(program: Program, flags: Flags): Promise<number> {
  // A client shows the response of a tool, and seldom what a program says before it ends.
  const { config, origins, tokenProblem } = program.readConfig(flags, true);
  const given = textFlag(flags, 'server');
  if (given !== undefined && flags['data'] !== undefined)
    throw new ExitError(exitCodes.usage, 'Give either --server or --data: a service has its own data directory.');
  const log = program.createLog(origins.logLevel.origin === 'default' ? { ...config, logLevel: 'warn' } : config);
  const url = given === undefined ? (flags['data'] === undefined ? config.url : undefined) : serverOf(program, given);
  const output = protocolOutput();
  const stops = stopSignals();
  const { toolbox, close } = url
    ? await remoteTools(program, config, url, tokenProblem)
    : await embeddedTools(program, config, log);
  process.stderr.write(
    `hayrake ${program.version} · MCP on standard input and output · ${url ? url.href : placeOf(config)}\n`,
  );
  // Loaded only for this command.
  const { serveMcpOverStdio } = await import('../../mcp/stdio.ts');
  try {
    await serveMcpOverStdio(toolbox, {
      input: process.stdin,
      output,
      version: program.version,
      signal: stops.signal,
      onError: (error) => log.warn('a message was not understood, or could not be sent', { error }),
    });
  } finally {
    await close();
    stops.ignore();
  }
  return exitCodes.done;
}

interface Tools {
  readonly toolbox: Toolbox;
  readonly close: () => Promise<void>;
}

async function embeddedTools(program: Program, config: Config, log: Log): Promise<Tools> {
  const { EmbeddedTools } = await import('../embedded-tools.ts');
  const toolbox = new EmbeddedTools(program, config, log);
  return { toolbox, close: () => toolbox.close() };
}

async function remoteTools(
  program: Program,
  { token }: Config,
  server: URL,
  tokenProblem: string | undefined,
): Promise<Tools> {
  if (tokenProblem !== undefined) {
    const response = { text: `invalid_token: ${tokenProblem}`, isError: true };
    return { toolbox: { call: () => Promise.resolve(response) }, close: () => Promise.resolve() };
  }
  if (token === undefined)
    throw new ExitError(
      exitCodes.usage,
      `Set HAYRAKE_TOKEN to a token of the service at ${server.href}: \`hayrake token create\` makes one there.`,
    );
  const { remoteToolbox } = await import('../../mcp/remote-toolbox.ts');
  const toolbox = remoteToolbox({
    server: server.href,
    post: (body, headers, signal) => program.postToMcp(server, token, { body, headers, signal }),
  });
  return { toolbox, close: () => Promise.resolve() };
}

/**
 * Keeps standard output for the protocol. From now on everything else that is written there, such as by a library in
 * another thread, goes to standard error.
 */
function protocolOutput(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const output = new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, done) });
  // A client that is gone ends the connection, in order.
  stdout.removeAllListeners('error').on('error', (error) => output.destroy(error));
  return output;
}
