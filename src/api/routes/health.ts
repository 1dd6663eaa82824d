import { z } from 'zod';
import type { Api, Service } from '../service.ts';

const tags = ['service'];
/** No token. */
const security = [] as const;

export function registerHealth(api: Api, service: Service): void {
  api.get(
    '/healthz',
    {
      config: { public: true },
      schema: {
        tags,
        security,
        summary: 'The process answers',
        response: { 200: z.object({ status: z.literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  const readiness = z.object({ status: z.enum(['ready', 'not_ready']), database: z.boolean(), worker: z.boolean() });
  api.get(
    '/readyz',
    {
      config: { public: true },
      schema: {
        tags,
        security,
        summary: 'The service takes work: its database can be written and its worker runs',
        response: { 200: readiness, 503: readiness },
      },
    },
    async (_request, reply) => {
      const database = await service.ping().then(
        () => true,
        () => false,
      );
      const worker = service.isCrawling();
      const ready = database && worker;
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', database, worker });
    },
  );

  api.get(
    '/openapi.json',
    {
      config: { public: true },
      schema: { tags, security, summary: 'This document', response: { 200: z.looseObject({ openapi: z.string() }) } },
    },
    async () => ({ ...api.swagger(), openapi: '3.1.0' }),
  );
}
