import { maybe } from '../../core/resource.ts';
import { z } from 'zod';
import { storageProblem, type StorageProblem } from '../../core/errors.ts';
import type { ObjectStoreProblem } from '../../core/ports/object-store.ts';
import type { Api, Service } from '../service.ts';

const tags = ['service'];
/** No token required. */
const security = [] as const;

const reasons = {
  insufficient_storage: 'disk_full',
  storage_read_only: 'read_only',
  unavailable: 'unavailable',
} as const satisfies Record<StorageProblem, string>;

const objectReasons = {
  away: 'objects_away',
  refused: 'objects_refused',
} as const satisfies Record<ObjectStoreProblem, string>;

export function registerHealth(api: Api, service: Service): void {
  api.get(
    '/healthz',
    {
      config: { public: 'uncounted', ignoresUnknownParameters: true },
      schema: {
        tags,
        security,
        operationId: 'getHealth',
        summary: 'The process is up',
        description: 'Needs no token, and reads nothing from the store. For a check that restarts the process.',
        response: { 200: z.object({ status: z.literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  // Anybody can call this, and each check is a write: concurrent calls share one check.
  let writable: Promise<StorageProblem | undefined> | undefined;
  const readiness = z.object({
    status: z.enum(['ready', 'not_ready']),
    database: z.boolean(),
    objects: maybe(z.boolean(), 'Whether object storage can be used, if raw bodies and screenshots are there'),
    worker: maybe(z.boolean(), 'Whether the crawler runs, in a process that crawls'),
    reason: maybe(z.enum([...Object.values(reasons), ...Object.values(objectReasons)]), 'What does not work'),
  });
  api.get(
    '/readyz',
    {
      config: { public: 'uncounted', ignoresUnknownParameters: true },
      schema: {
        tags,
        security,
        operationId: 'getReadiness',
        summary: 'The service accepts work: its stores are writable and its worker runs',
        description: 'Needs no token. 503 if a part does not work, with the same fields. For a load balancer.',
        response: { 200: readiness, 503: readiness },
      },
    },
    async (_request, reply) => {
      const [problem, objectsProblem] = await Promise.all([
        (writable ??= storageProblem(service).finally(() => (writable = undefined))),
        service.objectsProblem?.(),
      ]);
      const database = problem === undefined;
      const objects = service.objectsProblem && objectsProblem === undefined;
      const worker = service.isCrawling?.();
      const ready = database && objects !== false && worker !== false;
      return reply.code(ready ? 200 : 503).send({
        status: ready ? 'ready' : 'not_ready',
        database,
        ...(objects !== undefined && { objects }),
        ...(worker !== undefined && { worker }),
        ...(problem ? { reason: reasons[problem] } : objectsProblem && { reason: objectReasons[objectsProblem] }),
      });
    },
  );

  api.get(
    '/openapi.json',
    {
      config: { public: true },
      schema: {
        tags,
        security,
        operationId: 'getOpenApi',
        summary: 'This document',
        description: 'Needs no token. Generators make clients from it.',
        response: { 200: z.looseObject({ openapi: z.string() }) },
      },
    },
    async () => openApiOf(api),
  );
}

/** The OpenAPI document of all registered routes. docs/openapi.json is a copy. */
export function openApiOf(api: Api): { readonly [name: string]: unknown; openapi: string } {
  return { ...api.swagger(), openapi: '3.1.0' };
}
