// The pages of a job whose title or URL contains a text. The metadata is read as a stream, and only what matches is kept.
import { useEffect, useState } from 'preact/hooks';
import type { Job, PageMeta } from '../api-types.ts';
import { query, readLines } from '../api.ts';
import { count, plural } from '../format.ts';
import { ErrorNote } from '../parts/basics.tsx';
import { useAction } from '../parts/hooks.ts';
import { PageRow } from '../parts/page-row.tsx';

const foundMax = 500;

interface Found {
  readonly pages: readonly PageMeta[];
  /** Pages that were compared. */
  readonly seen: number;
  readonly isDone: boolean;
}

const nothing: Found = { pages: [], seen: 0, isDone: false };

export function FoundPages(props: { job: Job; q: string; open: number | undefined; select: (page: number) => void }) {
  const { job, q, open, select } = props;
  const total = job.progress.scraped;
  const [found, setFound] = useState(nothing);
  const { error, run } = useAction();
  useEffect(() => {
    setFound(nothing);
    void run((signal) => search(job.id, q, total, (next) => signal.aborted || setFound(next), signal));
  }, [job.id, q, total]);
  const { pages, seen, isDone } = found;
  return (
    <div class="found-pages">
      {error && <ErrorNote error={error} />}
      {pages.map((meta) => (
        <button
          key={meta.page}
          type="button"
          aria-current={meta.page === open ? 'true' : undefined}
          onClick={() => select(meta.page)}
        >
          <PageRow number={meta.page} meta={meta} />
        </button>
      ))}
      <p class="muted" role="status">
        {isDone
          ? `${pages.length >= foundMax ? `The first ${count(foundMax)} that match` : plural(pages.length, 'page matches', 'pages match')} of ${count(total)}`
          : `${count(seen)} of ${count(total)} pages compared`}
      </p>
    </div>
  );
}

async function search(
  jobId: string,
  q: string,
  total: number,
  show: (found: Found) => void,
  signal: AbortSignal,
): Promise<void> {
  const part = q.toLowerCase();
  const pages: PageMeta[] = [];
  let seen = 0;
  const path = `/crawler/jobs/${jobId}/meta${query({ fields: 'title,wordCount' })}`;
  for await (const line of readLines<{ meta?: PageMeta }>(path, signal)) {
    // Damaged pages and the end have none.
    const { meta } = line;
    seen++;
    if (meta && `${meta.meta.title}\n${meta.url}`.toLowerCase().includes(part)) pages.push(meta);
    // A running job continues the stream: what it has now is enough.
    if (seen >= total || pages.length >= foundMax) break;
    if (seen % 5_000 === 0) show({ pages: [...pages], seen, isDone: false });
  }
  show({ pages, seen, isDone: true });
}
