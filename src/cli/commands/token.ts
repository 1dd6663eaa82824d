import { ExitError, exitCodes } from '../../core/errors.ts';
import { type Permission, permissions, type Store } from '../../core/stores.ts';
import { createToken } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { textFlag } from '../flags.ts';
import type { Program } from '../program.ts';

/** Shows the token once, alone on standard output, so that a script can take it. */
export function runTokenCreate(program: Program, flags: Flags): Promise<number> {
  const org = textFlag(flags, 'org') ?? '';
  if (!/^[\w.-]{1,64}$/.test(org))
    throw new ExitError(exitCodes.usage, '--org takes 1 to 64 letters, digits, dots, dashes and underscores.');
  const granted = parsePermissions(textFlag(flags, 'permissions') ?? '');
  return withStore(program, flags, async (store) => {
    const { token, record } = await createToken(store.tokens, { org, permissions: granted });
    process.stderr.write(
      `Token ${record.id} of org ${org} (${granted.join(', ')}). It is shown once; only its hash is stored.\n`,
    );
    process.stdout.write(`${token}\n`);
    return exitCodes.done;
  });
}

export function runTokenList(program: Program, flags: Flags): Promise<number> {
  return withStore(program, flags, async (store) => {
    for (const { id, org, permissions: granted, createdAt, revokedAt } of await store.tokens.list()) {
      const state = revokedAt === null ? 'active' : `revoked ${new Date(revokedAt).toISOString()}`;
      process.stdout.write(
        `${id}  ${org}  ${granted.join(',')}  made ${new Date(createdAt).toISOString()}  ${state}\n`,
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
  const store = program.openStore(config, { crawling: false });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
