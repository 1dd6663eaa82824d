import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';

/** More would not help, and a query can have thousands. */
const fieldErrorsMax = 20;

/** Throws a `UserError` that names the query parameters that the route does not have, unless it ignores them. */
export function refuseUnknownParameters({ query, routeOptions: { schema, config } }: FastifyRequest): void {
  if (config.ignoresUnknownParameters === true) return;
  const known = schema?.querystring instanceof z.ZodObject ? Object.keys(schema.querystring.shape) : [];
  const unknown = Object.keys(query as object).filter((name) => !known.includes(name));
  const [first] = unknown;
  if (first === undefined) return;
  const taken = known.length === 0 ? 'This request takes no parameters.' : `It takes ${known.join(', ')}.`;
  const fields = unknown.slice(0, fieldErrorsMax).map((name) => ({
    field: shown(name),
    message: 'There is no such parameter.',
  }));
  const more = unknown.length > 1 ? ` (and ${unknown.length - 1} more)` : '';
  throw new UserError('invalid_parameter', `\`${shown(first)}\`: There is no such parameter${more}. ${taken}`, fields);
}

function shown(name: string): string {
  return name === '' ? '""' : name.slice(0, 100);
}
