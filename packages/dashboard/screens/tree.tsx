// The site as a tree of path segments, opened level by level.
import { useState } from 'preact/hooks';
import { hasEnded, type Job, type Tree, type TreeNode } from '../api-types.ts';
import { query } from '../api.ts';
import { count, plural } from '../format.ts';
import { Bar, Empty } from '../parts/basics.tsx';
import { useGet } from '../parts/loaded.tsx';

export function Tree({ job }: { job: Job }) {
  return (
    <section class="tree">
      <p class="row small muted tree-legend">
        {['scraped', 'failed', 'discarded', 'outside', 'queued'].map((name) => (
          <span key={name} class={`key key-${name}`}>
            {name}
          </span>
        ))}
      </p>
      <Level job={job} prefix={undefined} />
    </section>
  );
}

function Level({ job, prefix }: { job: Job; prefix: string | undefined }) {
  const path = `/crawler/jobs/${job.id}/tree${query({ prefix, limit: 100 })}`;
  const { value, notice } = useGet<Tree>(path, { key: job.status, lines: 3 });
  if (notice || !value) return notice;
  if (value.data.length === 0 && prefix === undefined)
    return (
      <Empty
        title={hasEnded(job) ? 'No URL was found' : 'No URL yet'}
        text="The tree groups the URLs of a job by host and path."
      />
    );
  const most = Math.max(1, ...value.data.map(({ urls }) => urls));
  return (
    <ul>
      {value.data.map((branch) => (
        <Row key={branch.segment} job={job} branch={branch} most={most} isLeaf={branch.prefix === prefix} />
      ))}
      {value.others && <li class="muted tree-others">{plural(value.others.urls, 'URL')} in smaller branches</li>}
    </ul>
  );
}

function Row({ job, branch, most, isLeaf }: { job: Job; branch: TreeNode; most: number; isLeaf: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { segment, prefix, urls, scraped, discarded, failed, outside, queued } = branch;
  const hasMore = !isLeaf && prefix.endsWith('/') && segment !== '';
  return (
    <li>
      <div class="branch">
        <button
          type="button"
          class="branch-name"
          aria-expanded={hasMore ? isOpen : undefined}
          disabled={!hasMore}
          onClick={() => setOpen(!isOpen)}
        >
          <span class="twist" aria-hidden="true" />
          {segment === '' ? 'this page' : segment}
        </button>
        <Bar parts={{ scraped, failed, discarded, outside, queued }} of={most} />
        <a href={`/jobs/${job.id}/urls${query({ q: prefix })}`}>
          {count(urls)}
          <span class="visually-hidden"> URLs below {prefix}</span>
        </a>
      </div>
      {isOpen && <Level job={job} prefix={prefix} />}
    </li>
  );
}
