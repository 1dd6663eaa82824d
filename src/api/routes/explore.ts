// What a job has found and how it goes, in numbers.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import type { HostState } from '../../core/ports/crawl-status.ts';
import type { WaitingHost } from '../../core/ports/stores.ts';
import { canonicalJobId } from '../../jobs/job-id.ts';
import { listHosts } from '../../jobs/list-hosts.ts';
import { readTree, TreeCache, treeDepthMax } from '../../jobs/read-tree.ts';
import { readStats, sinceOf } from '../../jobs/read-stats.ts';
import { type Api, callerOf, type Service } from '../service.ts';
import {
  cursor,
  hostList,
  jobParams,
  limit,
  partOfUrl,
  stats,
  text,
  tree,
  wholeNumber,
  withCursor,
} from './schemas.ts';

export function registerExplore(api: Api, service: Service): void {
  const trees = new TreeCache();

  api.get(
    '/crawler/jobs/:id/tree',
    {
      config: { waits: true },
      schema: {
        tags: ['jobs'],
        operationId: 'readTree',
        summary: 'The URLs of a job as a tree of their segments, with counts',
        description:
          'Reads all URLs of the job: a second for a million, while other requests are answered. The counts of a running job can be five seconds old.',
        params: jobParams,
        querystring: z.object({
          prefix: text(
            'Only URLs below this directory: a URL, or a path on the site of the first start URL. Without it, the first level has the origins.',
          ),
          depth: wholeNumber('depth', { min: 1, max: treeDepthMax, default: 1, description: 'Levels to return.' }),
          limit: wholeNumber('limit', { min: 1, max: 1_000, default: 200, description: 'Rows per level.' }),
        }),
        response: { 200: tree },
      },
    },
    async (request) => {
      const { prefix, depth, limit } = request.query;
      const query = defined({ depth, limit, prefix });
      return readTree({ jobs: service.jobs, trees }, callerOf(request).org, request.params.id, query);
    },
  );

  api.get(
    '/crawler/hosts',
    {
      schema: {
        tags: ['jobs'],
        operationId: 'listHosts',
        summary: 'The hosts that unfinished jobs wait for, and how they respond',
        description:
          'Hosts with requests of the unfinished jobs of your org. A response can have fewer rows than `limit`, or none, although more remain: one request looks at a bounded number of hosts. Continue as long as there is a cursor.',
        querystring: z.object({
          limit,
          cursor,
          q: partOfUrl('Only hosts that contain this.'),
          job: text('Only hosts of this job.'),
        }),
        response: { 200: hostList },
      },
    },
    async (request) => {
      const { job, ...query } = request.query;
      const jobId = job === undefined ? undefined : canonicalJobId(job);
      const found = await listHosts(service, callerOf(request).org, { ...query, jobId });
      const data = found.rows.map((host) => viewHost(host, service.hostState(host.host)));
      return { data, ...withCursor(found.cursor) };
    },
  );

  api.get(
    '/crawler/jobs/:id/stats',
    {
      schema: {
        tags: ['jobs'],
        operationId: 'readStats',
        summary: 'How a job went, over time',
        description:
          'Steps of a second (the last two minutes with changes), a minute (six hours) or an hour (31 days): the finest that reaches back to `since`. Steps without a change are left out. The last step of a running job ends now, so the steps of a whole job add up to its `progress`.',
        params: jobParams,
        querystring: z.object({
          since: text('Only steps that end after this time, in milliseconds since the epoch. Default: the whole job.'),
        }),
        response: { 200: stats },
      },
    },
    async (request) => {
      const { org } = callerOf(request);
      const { stepMs, steps } = await readStats(service.jobs, org, request.params.id, sinceOf(request.query.since));
      return { step: stepMs, data: steps };
    },
  );
}

function viewHost({ host, jobs, isLeased, delayMs, waitMs }: WaitingHost, state: HostState | undefined) {
  const backOffMs = Math.max(waitMs, state?.backOffMs ?? 0);
  return {
    host,
    jobs,
    isLeased,
    delayMs: Math.max(delayMs, state?.delayMs ?? 0),
    ...(backOffMs > 0 && { backOffUntil: Date.now() + backOffMs }),
    ...(state && {
      robots: state.robots,
      concurrency: state.concurrency,
      inFlight: state.inFlight,
      circuit: state.circuit,
      ...(state.lastError && { lastError: { reason: state.lastError.reason, message: state.lastError.message } }),
    }),
  };
}
