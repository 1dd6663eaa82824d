import { ExitError, exitCodes } from '../../core/errors.ts';
import { type Permission, permissions } from '../../core/permissions.ts';
import type { Store, Token } from '../../core/ports/stores.ts';
import { createToken } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { orgFlag, textFlag } from '../flags.ts';
import { parseLifetime } from '../lifetime.ts';
import { printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';

const nameMax = 100;

/** Shows the token once, alone on standard output, so that a script can read it. */
export function runTokenCreate(program: Program, flags: Flags): Promise<number> {
  const org = orgFlag(flags);
  const name = nameFlag(flags);
  const granted = parsePermissions(textFlag(flags, 'permissions') ?? '');
  const expires = textFlag(flags, 'expires');
  const lifetimeMs = expires === undefined ? null : parseLifetime(expires);
  return withStore(program, flags, async (store) => {
    const expiresAt = lifetimeMs === null ? null : Date.now() + lifetimeMs;
    const { token, record } = await createToken(store.tokens, { org, name, permissions: granted, expiresAt });
    const until = expiresAt === null ? '' : ` It expires ${new Date(expiresAt).toISOString()}.`;
    process.stderr.write(
      `Token ${record.id}${name === '' ? '' : ` (${name})`} of org ${org} (${granted.join(', ')}). It is shown once; only its hash is stored.${until}\n`,
    );
    process.stdout.write(`${token}\n`);
    return exitCodes.done;
  });
}

export function runTokenList(program: Program, flags: Flags): Promise<number> {
  return withStore(program, flags, async (store) => {
    for (const token of await store.tokens.list()) {
      const { id, org, name, permissions: granted, createdAt } = token;
      const shown = name === '' ? '' : `  ${printable(name)}`;
      process.stdout.write(
        `${id}  ${org}  ${granted.join(',')}  made ${new Date(createdAt).toISOString()}  ${stateOf(token)}${shown}\n`,
      );
    }
    return exitCodes.done;
  });
}

export function runTokenRevoke(program: Program, id: string, flags: Flags): Promise<number> {
  return withStore(program, flags, async (store) => {
    if (!(await store.tokens.revoke(id, Date.now()))) {
      throw new ExitError(
        exitCodes.failed,
        `There is no token ${JSON.stringify(id)}. \`hayrake token list\` shows them.`,
      );
    }
    process.stderr.write(`Token ${id} is revoked.\n`);
    return exitCodes.done;
  });
}

function stateOf({ revokedAt, expiresAt }: Token): string {
  if (revokedAt !== null) return `revoked ${new Date(revokedAt).toISOString()}`;
  if (expiresAt === null) return 'active';
  const at = new Date(expiresAt).toISOString();
  return expiresAt <= Date.now() ? `expired ${at}` : `active until ${at}`;
}

function nameFlag(flags: Flags): string {
  const name = (textFlag(flags, 'name') ?? '').trim();
  if (name.length <= nameMax && printable(name) === name) return name;
  throw new ExitError(exitCodes.usage, `--name takes at most ${nameMax} characters, without line breaks.`);
}

function parsePermissions(text: string): readonly Permission[] {
  return text.split(',').map((name) => {
    const found = permissions.find((permission) => permission === name.trim());
    if (!found)
      throw new ExitError(
        exitCodes.usage,
        `There is no permission ${JSON.stringify(name.trim())}. There are: ${permissions.join(', ')}.`,
      );
    return found;
  });
}

async function withStore(program: Program, flags: Flags, use: (store: Store) => Promise<number>): Promise<number> {
  const { config } = program.readConfig(flags);
  const store = await program.openStore(config, { crawling: false });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
