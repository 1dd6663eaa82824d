import { maybe } from '../../core/resource.ts';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';

const keyLengthMax = 256;

/** For the document; {@link idempotency} validates. */
export const idempotencyHeader = z.object({
  'idempotency-key': maybe(
    z.string().min(1).max(keyLengthMax),
    'Repeating a request with its key returns the job that it created. Keys are kept for 24 hours, per org.',
  ),
});

/** The key of a request, if it has one. */
export function idempotency(header: string | readonly string[] | undefined): { idempotencyKey?: string } {
  if (header === undefined) return {};
  if (typeof header === 'string' && header.length > 0 && header.length <= keyLengthMax)
    return { idempotencyKey: header };
  throw new UserError(
    'invalid_parameter',
    `\`Idempotency-Key\` must be given once, with 1 to ${keyLengthMax} characters.`,
  );
}
