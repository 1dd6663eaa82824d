// The structured data of a job, a row per page, in the columns of its fields; and what a model taught.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Job, List, PageResult } from '../api-types.ts';
import { call, query } from '../api.ts';
import { count, shortUrl, words } from '../format.ts';
import { Empty, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { problemsOf } from './extracted-record.tsx';
import { shownValue } from './metadata.tsx';
import { RulesView } from './rules.tsx';

/** Each row comes with the text of its page. */
const perRead = 50;

export function DataView({ job }: { job: Job }) {
  const { model = false } = job['extract'] as { model?: boolean };
  return (
    <section class="ledger">
      <h2>Records</h2>
      <Records job={job} />
      {model && <RulesView job={job} />}
    </section>
  );
}

function Records({ job }: { job: Job }) {
  const [after, setAfter] = useState(0);
  const { value, error, reload } = useLoaded(`records ${job.id} ${after} ${job.progress.scraped}`, (signal) =>
    call<List<PageResult>>(`/crawler/jobs/${job.id}/data${query({ after, limit: perRead, wait: 0 })}`, { signal }),
  );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={6} />;
  const { data } = value;
  const last = data.at(-1)?.meta.page ?? after;
  if (data.length === 0 && after === 0)
    return (
      <Empty title="No record yet">
        <p>Each page that is delivered has its record here.</p>
      </Empty>
    );
  return (
    <>
      <RecordTable
        label="Records"
        rows={data.map(({ meta, extracted }) => ({
          page: <a href={`/jobs/${job.id}/pages?page=${meta.page}`}>{shortUrl(meta.url)}</a>,
          extracted,
          problems: problemsOf(meta.meta),
        }))}
      />
      <p class="actions">
        <button
          type="button"
          class="button button-small"
          disabled={after === 0}
          onClick={() => setAfter(after - perRead)}
        >
          Earlier
        </button>
        <button
          type="button"
          class="button button-small"
          disabled={last >= job.progress.scraped}
          onClick={() => setAfter(after + perRead)}
        >
          Later
        </button>
        <span class="muted">
          Pages {count(after + 1)} to {count(last)} of {count(job.progress.scraped)}
        </span>
      </p>
    </>
  );
}

interface RecordRow {
  /** The name of the page. */
  readonly page: ComponentChildren;
  readonly extracted: PageResult['extracted'];
  readonly problems: Readonly<Record<string, string>>;
}

export function RecordTable({ label, rows }: { label: string; rows: readonly RecordRow[] }) {
  const fields = [...new Set(rows.flatMap(({ extracted }) => Object.keys(extracted ?? {})))];
  return (
    <div class="records" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Page</th>
            {fields.map((field) => (
              <th key={field} scope="col">
                {field}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ page, extracted, problems }, index) => (
            <tr key={index}>
              <th scope="row">{page}</th>
              {extracted === null || extracted === undefined ? (
                <td class="muted" colSpan={Math.max(1, fields.length)}>
                  no record
                </td>
              ) : (
                fields.map((field) => (
                  <td key={field}>
                    {cellOf(extracted[field])}
                    {problems[field] !== undefined && <b class="problem"> {words(problems[field])}</b>}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A price as people write it; other records as JSON. */
function cellOf(value: unknown): string {
  if (value !== null && typeof value === 'object' && 'amount' in value && 'currency' in value)
    return `${shownValue(value.amount)} ${shownValue(value.currency)}`.trim();
  return shownValue(value);
}
