import { z } from 'zod';
import type { Api, Service } from '../service.ts';

/** Public only if no other machine can connect: the numbers cover all orgs. */
export function registerMetrics(api: Api, service: Service, options: { readonly public: boolean }): void {
  api.get(
    '/metrics',
    {
      config: { ...(options.public ? { public: true } : { permission: 'metrics' }), ignoresUnknownParameters: true },
      schema: {
        tags: ['service'],
        ...(options.public && { security: [] }),
        operationId: 'getMetrics',
        summary: 'Metrics of the service, for Prometheus',
        description:
          'Needs no token if the service listens on loopback only, otherwise one with the permission `metrics`.',
        response: {
          200: { description: 'Text.', content: { 'text/plain': { schema: z.string() } } },
        },
      },
    },
    async (_request, reply) => {
      const text = await service.metrics();
      return reply.header('cache-control', 'no-store').type('text/plain; version=0.0.4; charset=utf-8').send(text);
    },
  );
}
