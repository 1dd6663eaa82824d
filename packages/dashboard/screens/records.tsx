// The structured data of a job, a row per page, in the columns of its fields; and what a model taught.
import { useState } from 'preact/hooks';
import type { Job, List, PageResult } from '../api-types.ts';
import { query } from '../api.ts';
import { count, shortUrl, words } from '../format.ts';
import { Empty } from '../parts/basics.tsx';
import { Button, LinkButton } from '../parts/button.tsx';
import { useGet } from '../parts/loaded.tsx';
import { BoxedTable, type Column } from '../parts/table.tsx';
import { problemsOf, shownValue } from './metadata.tsx';
import { RulesView } from './rules.tsx';

/** Each row comes with the text of its page. */
const perRead = 50;

export function DataView({ job }: { job: Job }) {
  if ((job['extract'] ?? null) === null)
    return (
      <Empty title="No fields were asked for" text="Point at values of one page: they become columns of all pages.">
        {job.progress.scraped > 0 && (
          <LinkButton kind="primary" label="Choose fields" href={`/jobs/${job.id}/pages?page=1&view=pick`} />
        )}
      </Empty>
    );
  const { model = false } = job['extract'] as { model?: boolean };
  return (
    <section class="stack">
      <h2>Records</h2>
      <Records job={job} />
      {model && <RulesView job={job} />}
    </section>
  );
}

function Records({ job }: { job: Job }) {
  const [after, setAfter] = useState(0);
  const total = job.progress.scraped;
  const path = `/crawler/jobs/${job.id}/data${query({ after, limit: perRead, wait: 0 })}`;
  const { value, notice } = useGet<List<PageResult>>(path, { key: total });
  if (notice || !value) return notice;
  const { data } = value;
  const last = data.at(-1)?.meta.page ?? after;
  if (data.length === 0 && after === 0)
    return <Empty title="No record yet" text="Each page that is delivered has its record here." />;
  return (
    <>
      <BoxedTable label="Records" class="records" columns={columnsOf(job.id, data)} rows={data} />
      <p class="row">
        <Button kind="small" label="Earlier" disabled={after === 0} click={() => setAfter(after - perRead)} />
        <Button kind="small" label="Later" disabled={last >= total} click={() => setAfter(after + perRead)} />
        <span class="muted">{`Pages ${count(after + 1)} to ${count(last)} of ${count(total)}`}</span>
      </p>
    </>
  );
}

/** A column for each field that some record has. */
function columnsOf(jobId: string, pages: readonly PageResult[]): readonly Column<PageResult>[] {
  const fields = [...new Set(pages.flatMap(({ extracted }) => Object.keys(extracted ?? {})))];
  return [
    {
      title: 'Page',
      cell: ({ meta: { page, url } }) => <a href={`/jobs/${jobId}/pages?page=${page}`}>{shortUrl(url)}</a>,
      isName: true,
    },
    ...(fields.length === 0 ? [''] : fields).map((field, index) => ({
      title: field,
      cell: (page: PageResult) => <Value page={page} field={field} isFirst={index === 0} />,
    })),
  ];
}

function Value({ page: { extracted, meta }, field, isFirst }: { page: PageResult; field: string; isFirst: boolean }) {
  if (extracted === null || extracted === undefined) return isFirst && <span class="muted">no record</span>;
  const problem = problemsOf(meta.meta)[field];
  return (
    <>
      {cellOf(extracted[field])}
      {problem !== undefined && <b class="bad tiny"> {words(problem)}</b>}
    </>
  );
}

/** A price as people write it; other records as JSON. */
function cellOf(value: unknown): string {
  if (value !== null && typeof value === 'object' && 'amount' in value && 'currency' in value)
    return `${shownValue(value.amount)} ${shownValue(value.currency)}`.trim();
  return shownValue(value);
}
