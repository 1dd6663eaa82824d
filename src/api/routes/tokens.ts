// The tokens of an org: list, create, revoke.
import { z } from 'zod';
import { tokenColumns } from '../../core/token.ts';
import { addToken, listTokens, orgName, revokeToken, tokenInput } from '../../jobs/manage-tokens.ts';
import { shapeOf, viewOf } from '../response/resource-view.ts';
import { cursor, cursors, limit, noBody, withCursor } from './schemas.ts';
import { type Api, callerOf, type Service } from '../service.ts';

const tags = ['tokens'];

const shape = shapeOf(tokenColumns);
const token = z.object(shape).meta({ id: 'Token' });
const newToken = z
  .object({ ...shape, token: z.string().describe('The secret. It is shown once: only its hash is stored.') })
  .meta({ id: 'NewToken' });
const tokenList = z.object({ data: z.array(token), ...cursors }).meta({ id: 'TokenList' });

export function registerTokens(api: Api, service: Service): void {
  const { tokens } = service;

  api.get(
    '/org/tokens',
    {
      config: { permission: 'tokens' },
      schema: {
        tags,
        operationId: 'listTokens',
        summary: 'List tokens, newest first, without their secrets',
        description: 'The tokens of your org, revoked and expired ones too. `HAYRAKE_TOKEN` sees those of all orgs.',
        querystring: z.object({
          limit,
          cursor,
          org: z
            .union([z.literal(''), orgName])
            .transform((value) => (value === '' ? undefined : value))
            .optional()
            .meta({ description: 'Only tokens of this org.' }),
        }),
        response: { 200: tokenList },
      },
    },
    async (request) => {
      const found = await listTokens(service, callerOf(request), request.query);
      return { data: found.rows.map((each) => viewOf(tokenColumns, each)), ...withCursor(found.cursor) };
    },
  );

  api.post(
    '/org/tokens',
    {
      config: { permission: 'tokens', hasSecret: true },
      schema: {
        tags,
        operationId: 'createToken',
        summary: 'Create a token, and show its secret once',
        description:
          'A caller can give only permissions that it has, to its own org, for as long as its own token is valid.',
        body: tokenInput,
        response: { 200: newToken },
      },
    },
    async (request, reply) => {
      const { token: secret, record } = await addToken(tokens, callerOf(request), request.body);
      return reply.header('cache-control', 'no-store').send({ ...viewOf(tokenColumns, record), token: secret });
    },
  );

  api.delete(
    '/org/tokens/:token',
    {
      config: { permission: 'tokens' },
      schema: {
        tags,
        operationId: 'revokeToken',
        summary: 'Revoke a token at once, with its sessions',
        description: 'A request in progress still ends. Repeating it is a 404.',
        params: z.object({ token: z.string().describe('The id of the token.') }),
        body: noBody,
        response: { 204: z.null().describe('Revoked.') },
      },
    },
    async (request, reply) => {
      await revokeToken(tokens, callerOf(request), request.params.token);
      return reply.code(204).send(null);
    },
  );
}
