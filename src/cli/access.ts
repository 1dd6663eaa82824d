// What commands work on: a running service, or the store of the settings. Both through the client of the API, which
// calls the handler of this process where there is no service.
import { Hayrake, HayrakeError } from '../../packages/client/index.ts';
import type { Config, SettingName } from '../config/config.ts';
import {
  type ErrorCode,
  errorCodes,
  ExitError,
  exitCodes,
  type StorageProblem,
  storageProblem,
  UserError,
} from '../core/errors.ts';
import type { Store } from '../core/ports/stores.ts';
import { createLoginCode } from '../jobs/sessions.ts';
import { type Flags, textFlag } from './flags.ts';
import { loginToken } from './login-token.ts';
import { placeOf } from './output/place.ts';
import type { Door, Program } from './program.ts';
import { serviceBeside } from './service-beside.ts';

/** A service that restarts answers again within this time. */
const retryMs = 30_000;
/** In this process nothing is lost on the way, and a slow disk is waited for. */
const patience = { retryMs: 0, timeoutMs: 2 ** 30 } as const;
/** Settings that also have a meaning for a command that uses a service. */
const ownSettings: ReadonlySet<SettingName> = new Set(['logLevel']);

export interface Access {
  readonly client: Hayrake;
  /** Undefined in this process. */
  readonly server?: URL;
  /** Where the jobs are, in words, such as a directory. */
  readonly place: string;
  /** A process works on the jobs now. */
  readonly isCrawled: () => boolean;
  /** Why nothing can be written, so that the crawl waits; undefined if that is not known. */
  readonly storageProblem: () => Promise<StorageProblem | undefined>;
  /** A link to a job in the dashboard. */
  readonly linkTo: (id: string) => Promise<string>;
}

/**
 * The service that a command uses, by `--server`, or by HAYRAKE_URL where no data directory is named. Undefined if it
 * works on the data directory. Throws an `ExitError` for an address that cannot be used, and for settings that only the
 * service itself can have.
 */
export function remoteOf(program: Program, flags: Flags): (Access & { readonly server: URL }) | undefined {
  const { config } = program.readConfig(flags);
  const given = textFlag(flags, 'server');
  const names = (Object.keys(program.settings) as SettingName[]).filter((name) => !ownSettings.has(name));
  const settings = names.flatMap((name) => {
    const { flag } = program.settings[name];
    const attribute = flag?.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return attribute !== undefined && flags[attribute] !== undefined ? [`--${flag}`] : [];
  });
  const server =
    given === undefined ? (settings.includes('--data') ? undefined : config.url) : serverOf(program, given);
  if (server === undefined) return undefined;
  if (settings.length > 0)
    throw new ExitError(
      exitCodes.usage,
      `${settings.join(', ')} cannot be set for ${server.href}: a service has its own settings. Leave them out, or --server and HAYRAKE_URL.`,
    );
  return {
    client: new Hayrake({ url: server.href, token: config.token ?? '', retryMs }),
    server,
    place: server.href,
    isCrawled: () => true,
    // The log of the service, `/readyz` and the dashboard say it.
    storageProblem: () => Promise.resolve(undefined),
    linkTo: (id) => Promise.resolve(`${server.href.replace(/\/$/, '')}/jobs/${id}`),
  };
}

/** Reads the value of `--server`. Throws an `ExitError` that says what is wrong with it. */
export function serverOf({ settings }: Program, text: string): URL | undefined {
  try {
    return settings.url.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExitError(exitCodes.usage, `--server is ${JSON.stringify(text)}, which cannot be used: ${why}`);
  }
}

/**
 * Opens what the command works on while `use` runs. A service can run on the data directory meanwhile. Rejects with a
 * `UserError` or an `ExitError`.
 */
export async function withAccess(
  program: Program,
  flags: Flags,
  use: (access: Access) => Promise<number>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<number> {
  const remote = remoteOf(program, flags);
  if (remote) return explained(remote.server, () => use(remote));
  const { config } = program.readConfig(flags);
  return withStore(program, config, { mayCreate }, async (store) => {
    const door = await program.openDoor(config, store, { log: program.createLog(config) });
    try {
      return await explained(undefined, () => use(accessTo(program, config, store, door)));
    } finally {
      await door.close();
    }
  });
}

/** Opens the store beside whoever crawls with it, while `use` runs. */
export async function withStore<Result>(
  program: Program,
  config: Config,
  { mayCreate = true }: { readonly mayCreate?: boolean },
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await program.openStore(config, { crawling: false, mayCreate });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The store of this process, for the default org. */
export function accessTo(program: Program, config: Config, store: Store, { fetch }: Door): Access {
  return {
    client: new Hayrake({ url: 'http://localhost', token: '', fetch, ...patience }),
    place: config.databaseUrl === undefined ? config.data : placeOf(config),
    isCrawled: () => program.isCrawled(config),
    storageProblem: () => storageProblem(store),
    linkTo: async (id) => {
      const origin = await serviceBeside(program, store);
      if (origin === undefined)
        throw new ExitError(exitCodes.failed, `No service runs on this data. Start one: ${program.command} serve`);
      // The link signs one browser in, if there is a token whose rights it can give.
      const token = await loginToken(config, store.tokens);
      if (!token) return `${origin}/jobs/${id}`;
      return `${origin}/login?code=${await createLoginCode(store.sessions, token.id)}&job=${id}`;
    },
  };
}

/** Runs requests, with the errors of the API as those of a command. */
export async function explained<Result>(server: URL | undefined, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw server ? errorOf(server, error) : ownError(error);
  }
}

/** The handler of this process refuses what a command refuses; any other error is passed on as it is. */
export function ownError(error: unknown): unknown {
  if (!(error instanceof HayrakeError)) return error;
  const { code, message, details, page, cause } = error;
  if (isKnown(code)) return new UserError(code, message, details, page === undefined ? {} : { page });
  return cause ?? error;
}

/** A service refuses what a command refuses, with the same codes. Everything else is its own state. */
function errorOf(server: URL, error: unknown): unknown {
  if (!(error instanceof HayrakeError)) return error;
  const { code, message, status } = error;
  if (status === 401 || status === 403) {
    const why = code === 'permission_denied' ? 'is allowed to do this' : 'is valid there';
    return new ExitError(
      exitCodes.usage,
      `${server.href}: ${refusals[code] ?? message} Set HAYRAKE_TOKEN to a token that ${why}: \`hayrake token create\` next to the service makes one.`,
    );
  }
  if (code === 'not_found')
    return new ExitError(
      exitCodes.usage,
      `${server.href} has no such endpoint. Check the path in --server or HAYRAKE_URL, and the version of the service.`,
    );
  if (status >= 400 && status < 500 && status !== 429 && isKnown(code)) return ownError(error);
  return new ExitError(exitCodes.failed, message.includes(server.host) ? message : `${server.href}: ${message}`);
}

/** What the service says is for programs that send the header themselves. */
const refusals: Readonly<Record<string, string>> = {
  unauthorized: 'The service needs a token.',
  invalid_token: 'The token is wrong, revoked or expired.',
};

/** A newer service can have others. */
function isKnown(code: string): code is ErrorCode {
  return code in errorCodes;
}

/** True if the API refused a request with this code. */
export function isRefusal(error: unknown, code: ErrorCode): boolean {
  return error instanceof HayrakeError && error.code === code;
}
