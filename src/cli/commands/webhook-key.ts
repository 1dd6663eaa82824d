import { withStore } from '../access.ts';
import { exitCodes } from '../../core/errors.ts';
import { webhookSecret } from '../../jobs/webhook-key.ts';
import type { Flags } from '../flags.ts';
import { orgFlag } from '../flags.ts';
import type { Program } from '../program.ts';

/** Shows the key that signs an org's webhooks, alone on standard output. A service can run meanwhile. */
export function runWebhookKey(program: Program, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const org = orgFlag(flags);
  return withStore(program, config, {}, async ({ outbox }) => {
    const isNew = flags['rotate'] === true;
    const { current } = isNew ? await outbox.rotateKey(org) : await outbox.keys(org);
    if (isNew) process.stderr.write(`The key of org ${org} is new. The previous one also signs for 24 hours.\n`);
    process.stdout.write(`${webhookSecret(current)}\n`);
    return exitCodes.done;
  });
}
