import { withStore } from '../access.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { type Permission, permissions } from '../../core/permissions.ts';
import type { Token, TokenStore } from '../../core/ports/stores.ts';
import { tokenNameMax } from '../../jobs/manage-tokens.ts';
import { createToken } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { orgFlag, textFlag } from '../flags.ts';
import { parseLifetime } from '../lifetime.ts';
import type { Program } from '../program.ts';

/** Shows the token once, alone on standard output, so that a script can read it. */
export function runTokenCreate(program: Program, flags: Flags): Promise<number> {
  const org = orgFlag(flags);
  const granted = parsePermissions(textFlag(flags, 'permissions') ?? '');
  const name = nameFlag(flags);
  const expires = textFlag(flags, 'expires');
  const lifetimeMs = expires === undefined ? null : parseLifetime(expires);
  return withTokens(program, flags, async (tokens) => {
    const expiresAt = lifetimeMs === null ? null : Date.now() + lifetimeMs;
    const { token, record } = await createToken(tokens, { org, permissions: granted, expiresAt, ...name });
    const until = expiresAt === null ? '' : ` It expires ${new Date(expiresAt).toISOString()}.`;
    process.stderr.write(
      `Token ${record.id}${name.name === undefined ? '' : ` (${name.name})`} of org ${org} (${granted.join(', ')}). It is shown once; only its hash is stored.${until}\n`,
    );
    process.stdout.write(`${token}\n`);
    return exitCodes.done;
  });
}

export function runTokenList(program: Program, flags: Flags): Promise<number> {
  return withTokens(program, flags, async (tokens) => {
    for (const token of await tokens.list()) {
      const { id, org, name, permissions: granted, createdAt } = token;
      process.stdout.write(
        `${id}  ${org}  ${granted.join(',')}  made ${new Date(createdAt).toISOString()}  ${stateOf(token)}${name === '' ? '' : `  ${JSON.stringify(name)}`}\n`,
      );
    }
    return exitCodes.done;
  });
}

export function runTokenRevoke(program: Program, id: string, flags: Flags): Promise<number> {
  return withTokens(program, flags, async (tokens) => {
    if (!(await tokens.revoke(id, Date.now()))) {
      throw new ExitError(
        exitCodes.failed,
        `There is no token ${JSON.stringify(id)}. \`hayrake token list\` shows them.`,
      );
    }
    process.stderr.write(`Token ${id} is revoked.\n`);
    return exitCodes.done;
  });
}

function withTokens(program: Program, flags: Flags, use: (tokens: TokenStore) => Promise<number>): Promise<number> {
  return withStore(program, program.readConfig(flags).config, {}, ({ tokens }) => use(tokens));
}

function nameFlag(flags: Flags): { readonly name?: string } {
  const name = textFlag(flags, 'name')?.trim();
  if (name === undefined || name === '') return {};
  if (name.length <= tokenNameMax && /^\P{C}*$/u.test(name)) return { name };
  throw new ExitError(exitCodes.usage, `--name takes at most ${tokenNameMax} characters, without control characters.`);
}

function stateOf({ revokedAt, expiresAt }: Token): string {
  if (revokedAt !== null) return `revoked ${new Date(revokedAt).toISOString()}`;
  if (expiresAt === null) return 'active';
  const at = new Date(expiresAt).toISOString();
  return expiresAt <= Date.now() ? `expired ${at}` : `active until ${at}`;
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
