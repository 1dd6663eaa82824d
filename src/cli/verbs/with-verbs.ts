import { Hayrake } from '../../../packages/client/index.ts';
import type { SettingName } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { type Flags, textFlag } from '../flags.ts';
import type { Program } from '../program.ts';
import { serverOf } from './server-of.ts';
import { serviceVerbs } from './service-verbs.ts';
import { storeVerbs } from './store-verbs.ts';
import type { Verbs } from './verbs.ts';

/** A service that restarts answers again within this time. */
const retryMs = 30_000;
/** Settings that also have a meaning for a command that uses a service. */
const ownSettings: ReadonlySet<SettingName> = new Set(['logLevel']);

export interface Remote {
  readonly server: URL;
  readonly client: Hayrake;
}

/**
 * The service that a command uses, by `--server`, or by HAYRAKE_URL where no data directory is named. Undefined if it
 * works on the data directory. Throws an `ExitError` for an address that cannot be used, and for settings that only the
 * service itself can have.
 */
export function remoteOf(program: Program, flags: Flags): Remote | undefined {
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
  return { server, client: new Hayrake({ url: server.href, token: config.token ?? '', retryMs }) };
}

/** Opens what the command works on while `use` runs. A service can run on the data directory meanwhile. */
export async function withVerbs(
  program: Program,
  flags: Flags,
  use: (verbs: Verbs) => Promise<number>,
): Promise<number> {
  const remote = remoteOf(program, flags);
  const verbs = remote ? serviceVerbs(remote.client, remote.server) : await openStoreVerbs(program, flags);
  try {
    return await use(verbs);
  } finally {
    await verbs.close();
  }
}

async function openStoreVerbs(program: Program, flags: Flags): Promise<Verbs> {
  const { config } = program.readConfig(flags);
  return storeVerbs(program, config, await program.openStore(config, { crawling: false, mayCreate: false }));
}
