// The state of the service, for its operator.
import { z } from 'zod';
import { systemStatus } from '../../core/ports/system-desk.ts';
import { type Api, type Service } from '../service.ts';
import { noBody, problemResponse } from './schemas.ts';

const tags = ['service'];
const bytes = z.int().describe('Bytes.');

const status = z.object({ version: z.string(), ...systemStatus(z).shape }).meta({ id: 'SystemStatus' });

export function registerSystem(api: Api, { system }: Service, version: string): void {
  api.get(
    '/service',
    {
      config: { permission: 'operate' },
      schema: {
        tags,
        operationId: 'getSystem',
        summary: 'The state of the service: disk, memory, queue, settings',
        description:
          'Needs the permission `operate`, since it is about all orgs. Secrets among the settings are not shown.',
        response: { 200: status },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'no-store').send({ version, ...(await system.status()) }),
  );

  api.post(
    '/service/backup',
    {
      config: { permission: 'operate' },
      schema: {
        tags,
        operationId: 'backUp',
        summary: 'Back up the data now, as `hayrake backup` does',
        description:
          'Writes a new file into the folder `backups` of the data directory, and checks it. The response comes when it is complete. The file has the data of all orgs: keep it as safe as the data directory. Old ones stay until somebody removes them. Of PostgreSQL this is a 400: use its own tools.',
        body: noBody,
        response: {
          200: z.object({ file: z.string().describe('On the machine of the service.'), bytes }),
          '4xx': problemResponse,
          '5xx': problemResponse,
        },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'no-store').send(await system.backUp()),
  );
}
