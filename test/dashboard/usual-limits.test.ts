import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAsked, usualLimits } from '../../packages/dashboard/request.ts';
import type { Job } from '../../packages/client/types.ts';

test('limits that no request wrote are those of the API', () => {
  interface Posted {
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly schema: { readonly properties: Readonly<Record<string, { readonly default?: unknown }>> };
        };
      };
    };
  }
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    readonly paths: Readonly<Record<string, { readonly post: Posted }>>;
  };
  const { page_limit, time_limit } = usualLimits({ page_limit: 10_000 });
  const fields = paths['/crawler/jobs']!.post.requestBody.content['application/json'].schema.properties;
  expect([page_limit, time_limit]).toEqual([fields['page_limit']?.default, fields['time_limit']?.default]);
});

test.each([
  [{ page_limit: 10_000 }, 'page_limit_reached', false],
  [{ page_limit: 3 }, 'page_limit_reached', true],
  [{ page_limit: 3, fetch_limit: 1_000 }, 'fetch_limit_reached', false],
  [{ page_limit: 3, fetch_limit: 5 }, 'fetch_limit_reached', true],
  [{ page_limit: 3 }, 'failed_pages', false],
] as const)('%j with %s: asked for is %s', (job, code, expected) => {
  expect(isAsked(job as unknown as Job, { code } as Job['findings'][number])).toBe(expected);
});
