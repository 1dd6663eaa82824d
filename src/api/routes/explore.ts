// What a job has found and how it goes, in numbers.
import { z } from 'zod';
import { readTree, TreeCache, treeDepthMax, type TreeLevel, type TreeNode } from '../../jobs/read-tree.ts';
import { readStats, sinceOf } from '../../jobs/read-stats.ts';
import { type Api, callerOf, type Service } from '../service.ts';
import { jobParams, problemAnswer, stats, text, tree, wholeNumber } from './schemas.ts';

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
          'Reads all URLs below the prefix: a second for a million. The counts of a running job can be five seconds old.',
        params: jobParams,
        querystring: z.object({
          prefix: text(
            'Only URLs below this directory: a URL, or a path on the site of the first start URL. Without it, the first level has the origins.',
          ),
          depth: wholeNumber('depth', { min: 1, max: treeDepthMax, default: 1, description: 'Levels to return.' }),
          limit: wholeNumber('limit', { min: 1, max: 1_000, default: 200, description: 'Rows per level.' }),
        }),
        response: { 200: tree, '4xx': problemAnswer },
      },
    },
    async (request) => {
      const { prefix, depth, limit } = request.query;
      const query = { depth, limit, ...(prefix !== undefined && { prefix }) };
      const found = await readTree({ jobs: service.jobs, trees }, callerOf(request).org, request.params.id, query);
      return { ...(found.prefix !== undefined && { prefix: found.prefix }), ...viewLevel(found) };
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
        response: { 200: stats, '4xx': problemAnswer },
      },
    },
    async (request) => {
      const { org } = callerOf(request);
      const { stepMs, steps } = await readStats(service.jobs, org, request.params.id, sinceOf(request.query.since));
      return { step: stepMs, data: steps };
    },
  );
}

interface LevelView {
  readonly data: readonly (Omit<TreeNode, 'level'> & Partial<LevelView>)[];
  readonly others?: NonNullable<TreeLevel['others']>;
}

function viewLevel({ nodes, others }: TreeLevel): LevelView {
  return {
    data: nodes.map(viewNode),
    ...(others && { others }),
  };
}

function viewNode({ level, ...node }: TreeNode): LevelView['data'][number] {
  return level ? { ...node, ...viewLevel(level) } : node;
}
