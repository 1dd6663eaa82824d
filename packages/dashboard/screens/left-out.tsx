// What was left out of a page.
import type { Dropped } from '../api-types.ts';
import { count, plural } from '../format.ts';
import { Skeleton } from '../parts/basics.tsx';
import { useSettled } from '../parts/hooks.ts';
import { useGet } from '../parts/loaded.tsx';
import { type Column, Table } from '../parts/table.tsx';

/** Moving through the list of pages with the keyboard reads none of those that are passed. */
const restMs = 400;

const columns: readonly Column<Dropped['data'][number]>[] = [
  { title: 'Rule', cell: ({ rule }) => <code>{rule}</code> },
  { title: 'Words', cell: ({ words }) => count(words) },
  { title: 'Beginning', cell: ({ text, cut }) => <span dir="auto">{cut ? `${text} …` : text}</span> },
];

export function LeftOut({ jobId, page }: { jobId: string; page: number }) {
  const path = `/crawler/jobs/${jobId}/pages/${page}/dropped`;
  const settled = useSettled(path, restMs);
  const { value, error, notice } = useGet<Dropped>(settled);
  if (settled !== path || (!value && !error))
    return (
      <div role="status">
        <Skeleton lines={6} />
      </div>
    );
  if (error || !value) return notice;
  return <LeftOutTexts data={value.data} />;
}

export function LeftOutTexts({ data }: { data: Dropped['data'] }) {
  const words = data.reduce((sum, one) => sum + one.words, 0);
  return (
    <div class="left-out stack gap-14" tabIndex={0} role="region" aria-label="What was left out">
      <p>
        {data.length === 0 ? 'Nothing is left out' : `${plural(words, 'word')} left out`} of the page as it was read.
      </p>
      {data.length > 0 && (
        <>
          <Table columns={columns} rows={data} />
          <p class="muted">
            To keep a part, crawl with <code>include_elements</code>, or with <code>content: full</code>.
          </p>
        </>
      )}
    </div>
  );
}
