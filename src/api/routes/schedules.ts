// Schedules: a request for a job, and the times at which it becomes one.
import { maybe } from '../../core/resource.ts';
import { z } from 'zod';
import { type Schedule, scheduleColumns } from '../../core/schedule.ts';
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  getSchedule,
  listRuns,
  listSchedules,
  runSchedule,
} from '../../jobs/schedules/manage-schedules.ts';
import { scheduleBody, scheduleChangeBody } from '../../jobs/schedules/schedule-input.ts';
import { viewJob } from '../response/job-view.ts';
import { shapeOf, viewOf } from '../response/resource-view.ts';
import { type Api, callerOf, type Service } from '../service.ts';
import { idempotency, idempotencyHeader } from './idempotency.ts';
import { cursor, cursors, job, limit, noBody, withCursor, scheduleParams } from './schemas.ts';
import { validateParams } from './validate-params.ts';

const tags = ['schedules'];

const shape = shapeOf(scheduleColumns);
const schedule = z.object(shape).meta({ id: 'Schedule' });
const changedSchedule = z
  .object({
    ...shape,
    droppedSecrets: maybe(
      scheduleColumns.secrets.type(z),
      'Headers and cookies that were stored and are no longer, because the new `job` has other hosts or another proxy. Give them again if they are meant for these.',
    ),
  })
  .meta({ id: 'ChangedSchedule' });
const scheduleList = z.object({ data: z.array(schedule), ...cursors }).meta({ id: 'ScheduleList' });
const runList = z.object({ data: z.array(job), ...cursors }).meta({ id: 'RunList' });
const madeRun = z
  .object({ job: job.nullable().describe('`null` if the run waits for the end of the last one (`overlap: queue`).') })
  .meta({ id: 'MadeRun' });

const page = z.object({ limit, cursor });

export function registerSchedules(api: Api, service: Service): void {
  registerReads(api, service);
  registerWrites(api, service);
  registerRuns(api, service);
}

function registerReads(api: Api, service: Service): void {
  api.get(
    '/crawler/schedules',
    {
      schema: {
        tags,
        operationId: 'listSchedules',
        summary: 'List schedules, newest first',
        description: 'All schedules of your org, paused ones too.',
        querystring: page,
        response: { 200: scheduleList },
      },
    },
    async (request) => {
      const found = await listSchedules(service, callerOf(request).org, request.query);
      return { data: found.rows.map(viewSchedule), ...withCursor(found.cursor) };
    },
  );

  api.get(
    '/crawler/schedules/:id',
    {
      schema: {
        tags,
        operationId: 'getSchedule',
        summary: 'Get a schedule',
        description: 'With its next time, its last run, and why its last time has none.',
        params: scheduleParams,
        response: { 200: schedule },
      },
    },
    async (request) => viewSchedule(await getSchedule(service, callerOf(request).org, request.params.id)),
  );

  api.get(
    '/crawler/schedules/:id/jobs',
    {
      schema: {
        tags,
        operationId: 'listRuns',
        summary: 'List the runs of a schedule, newest first',
        description:
          'Each is a job as `GET /crawler/jobs/{id}` returns it. The results of those beyond `keep` are deleted.',
        params: scheduleParams,
        querystring: page,
        response: { 200: runList },
      },
    },
    async (request) => {
      const found = await listRuns(service, callerOf(request).org, request.params.id, request.query);
      return { data: found.rows.map(viewJob), ...withCursor(found.cursor) };
    },
  );
}

function registerWrites(api: Api, service: Service): void {
  api.post(
    '/crawler/schedules',
    {
      config: { permission: 'write' },
      // `createSchedule` validates the body, the same for every caller.
      validatorCompiler: validateParams,
      schema: {
        tags,
        operationId: 'createSchedule',
        summary: 'Create a schedule: a job at certain times',
        description:
          'Each run is a job with `schedule`, made as if `POST /crawler/jobs` had been called with `job`, with the permissions of the token that wrote the schedule last; revoking that token pauses it. Times that pass while no process runs are made up by one run. A run that cannot be created is tried for an hour, then `lastError` says why, and the `webhook_url` of the job gets `schedule.failed`; after a run with changes it gets `schedule.changed`. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.',
        headers: idempotencyHeader,
        body: scheduleBody,
        response: { 201: schedule },
      },
    },
    async (request, reply) => {
      const created = await createSchedule(
        service,
        callerOf(request),
        request.body,
        idempotency(request.headers['idempotency-key']),
      );
      return reply.code(201).header('location', `/crawler/schedules/${created.id}`).send(viewSchedule(created));
    },
  );

  api.patch(
    '/crawler/schedules/:id',
    {
      config: { permission: 'write' },
      // `changeSchedule` validates the body.
      validatorCompiler: validateParams,
      schema: {
        tags,
        operationId: 'changeSchedule',
        summary: 'Change a schedule',
        description:
          'Replaces the fields that the body names; `job` as a whole. Stored headers and cookies that the new `job` does not name stay only if the hosts of its start URLs, with scheme and port, its `proxy` and its `insecure_tls` are those of the old one, however they are written: otherwise they are dropped, and `droppedSecrets` names them. The schedule then has the permissions of your token, which must allow its job; `{"paused": true}` alone needs no more than `write` and leaves them.',
        params: scheduleParams,
        body: scheduleChangeBody,
        response: { 200: changedSchedule },
      },
    },
    async (request) => {
      const changed = await changeSchedule(service, callerOf(request), request.params.id, request.body);
      const { headers, cookies } = changed.dropped;
      return {
        ...viewSchedule(changed.schedule),
        ...(headers.length + cookies.length > 0 && { droppedSecrets: changed.dropped }),
      };
    },
  );

  api.delete(
    '/crawler/schedules/:id',
    {
      config: { permission: 'write' },
      schema: {
        tags,
        operationId: 'deleteSchedule',
        summary: 'Delete a schedule; its jobs stay',
        description: 'Returns it as it was. A run in progress continues. Repeating it is a 404.',
        params: scheduleParams,
        body: noBody,
        response: { 200: schedule },
      },
    },
    async (request) => viewSchedule(await deleteSchedule(service, callerOf(request).org, request.params.id)),
  );
}

function registerRuns(api: Api, service: Service): void {
  api.post(
    '/crawler/schedules/:id/run',
    {
      config: { permission: 'write', beginsWork: true },
      schema: {
        tags,
        operationId: 'runSchedule',
        summary: 'Make a run now',
        description:
          'Also while the schedule is paused. Its next time stays as it is. While the last run has not ended: with `overlap: skip` 409 (`run_in_progress`); with `queue` one run is made when it ends, and the response is 202 with `job: null`.',
        params: scheduleParams,
        body: noBody,
        response: {
          201: madeRun,
          202: madeRun.describe('The run waits for the end of the last one.'),
        },
      },
    },
    async (request, reply) => {
      const made = await runSchedule(service, callerOf(request).org, request.params.id);
      if (!made.job) return reply.code(202).send({ job: null });
      return reply
        .code(201)
        .header('location', `/crawler/jobs/${made.job.id}`)
        .send({ job: viewJob(made.job) });
    },
  );
}

function viewSchedule(of: Schedule) {
  return viewOf(scheduleColumns, { ...of, paused: of.pausedBy !== null });
}
