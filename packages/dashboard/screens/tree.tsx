// The site as a tree of path segments, opened level by level.
import { useState } from 'preact/hooks';
import { hasEnded, type Job, type Tree, type TreeNode } from '../api-types.ts';
import { call, query } from '../api.ts';
import { count, plural } from '../format.ts';
import { Empty, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';

export function Tree({ job }: { job: Job }) {
  return (
    <section class="tree">
      <p class="tree-legend muted">
        <span class="key key-scraped">scraped</span>
        <span class="key key-failed">failed</span>
        <span class="key key-discarded">discarded</span>
        <span class="key key-outside">outside</span>
        <span class="key key-queued">queued</span>
      </p>
      <Level job={job} prefix={undefined} />
    </section>
  );
}

function Level({ job, prefix }: { job: Job; prefix: string | undefined }) {
  const { value, error, reload } = useLoaded(`${job.id} ${prefix ?? ''} ${job.status}`, (signal) =>
    call<Tree>(`/crawler/jobs/${job.id}/tree${query({ prefix, limit: 100 })}`, { signal }),
  );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={3} />;
  if (value.data.length === 0 && prefix === undefined)
    return (
      <Empty title={hasEnded(job) ? 'No URL was found' : 'No URL yet'}>
        <p>The tree groups the URLs of a job by host and path.</p>
      </Empty>
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
  const share = (part: number): { width: string } => ({ width: `${(100 * part) / most}%` });
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
        <span class="bar bar-thin" aria-hidden="true">
          <span class="bar-scraped" style={share(scraped)} />
          <span class="bar-failed" style={share(failed)} />
          <span class="bar-discarded" style={share(discarded)} />
          <span class="bar-outside" style={share(outside)} />
          <span class="bar-queued" style={share(queued)} />
        </span>
        <a href={`/jobs/${job.id}/urls${query({ q: prefix })}`}>
          {count(urls)}
          <span class="visually-hidden"> URLs below {prefix}</span>
        </a>
      </div>
      {isOpen && <Level job={job} prefix={prefix} />}
    </li>
  );
}
