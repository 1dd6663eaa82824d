import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import { textFlag } from '../flags.ts';
import type { Program } from '../program.ts';

/** Shorter than the timeout of a container's health check. */
const limitMs = 3_000;

/** Reports whether the service with these settings, or at an address, accepts work. One line; exit code 0 or 1. */
export async function runHealth(program: Program, flags: Flags): Promise<number> {
  const given = textFlag(flags, 'server');
  const { config } = program.readConfig(flags);
  const { isReady, message } = await program.askHealth(given === undefined ? own(config) : serverOf(given), limitMs);
  process.stdout.write(`${message}\n`);
  return isReady ? exitCodes.done : exitCodes.failed;
}

/** For a service that listens on all addresses, uses the loopback address. */
function own({ host, port }: { readonly host: string; readonly port: number }): URL {
  if (port === 0)
    throw new ExitError(
      exitCodes.usage,
      'HAYRAKE_PORT is 0, so the port is not known. Name the service with --server.',
    );
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new URL(`http://${address.includes(':') ? `[${address}]` : address}:${port}`);
}

function serverOf(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:')
    throw new ExitError(
      exitCodes.usage,
      `--server is ${JSON.stringify(text)}, but must be the http address of a service, like http://127.0.0.1:8380.`,
    );
  return url;
}
