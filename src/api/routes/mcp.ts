// The Model Context Protocol. The SDK and the tools are loaded with the first request.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import { responseBytesMax } from '../../jobs/read-results.ts';
import type { ToolParts } from '../../mcp/tool.ts';
import type { LocalToolboxOptions } from '../../mcp/toolbox.ts';
import type { BytesReply } from '../response/send-lines.ts';
import { type Caller, requirePermission } from '../guard/authenticate.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { problemResponse } from './schemas.ts';
import { validateParams } from './validate-params.ts';

const message = z
  .looseObject({ jsonrpc: z.literal('2.0'), method: z.string().optional() })
  .describe('A JSON-RPC message of the Model Context Protocol.');

export function registerMcp(
  api: Api,
  service: Service,
  { log, version }: { readonly log: Log; readonly version: string },
): void {
  api.post(
    '/mcp',
    {
      // Each tool checks its own permission, and reports a missing one to the model.
      config: { permission: 'none', waits: true, beginsWork: true },
      // The SDK validates the body.
      validatorCompiler: validateParams,
      schema: {
        tags: ['mcp'],
        operationId: 'callMcp',
        summary: 'The Model Context Protocol: tools for agents',
        description:
          'The streamable HTTP transport of the protocol, without sessions: one message per request. docs/mcp.md lists the tools and shows how to connect clients.',
        body: message,
        response: { 200: message, '4xx': problemResponse },
      },
    },
    async (request, reply) => {
      refuseOtherOrigin(request);
      if (Array.isArray(request.body))
        throw new UserError('invalid_body', 'Send one JSON-RPC message, without an array around it.');
      const { answerMcp } = await import('../../mcp/http.ts');
      const signal = goneSignal(reply.raw, service);
      const onDefect = (tool: string, error: unknown): string => {
        log.error('a tool failed', { requestId: request.id, tool, error });
        return `Find it in the log by the request id ${request.id}.`;
      };
      const response = await answerMcp(
        { headers: headersOf(request), body: request.body },
        { version, signal, run: runFor(service, callerOf(request)), onDefect },
      );
      const type = response.headers.get('content-type');
      reply.code(response.status).header('cache-control', 'no-store');
      if (type !== null) reply.header('content-type', type);
      // `null` would be sent as JSON, and the response to a notification has no body.
      const body = response.body === null ? undefined : Readable.fromWeb(response.body as ReadableStream);
      return (reply as BytesReply).send(body);
    },
  );
}

/** Browsers name the page that sends a request. Only our own pages may: others could use a signed-in browser. */
function refuseOtherOrigin({ headers: { origin, host } }: FastifyRequest): void {
  if (origin === undefined || (host !== undefined && URL.parse(origin)?.host === host.toLowerCase())) return;
  throw new UserError(
    'origin_refused',
    'The `Origin` header names another site. Only clients that are not web pages can use /mcp.',
  );
}

/** What the transport reads. The token is not among it. */
function headersOf({ headers }: FastifyRequest): Headers {
  const names = Object.keys(headers).filter((name) => /^(accept|content-type|mcp-.*)$/.test(name));
  return new Headers(names.map((name): [string, string] => [name, String(headers[name])]));
}

/** Runs calls with the rights of a caller. */
function runFor(service: Service, caller: Caller): LocalToolboxOptions['run'] {
  const parts: ToolParts = {
    ...service,
    withMemory: async (org, signal, run) => {
      const room = await service.responses.take(org, responseBytesMax, signal);
      try {
        return await run();
      } finally {
        room.giveBack();
      }
    },
  };
  return async ({ kind }, use) => {
    requirePermission(caller, kind === 'starts' ? 'write' : 'read');
    if (kind === 'starts' && service.isCrawling?.() === false)
      throw new UserError('unavailable', 'This process does not crawl at the moment. Try again later.');
    return use({ parts, caller });
  };
}
