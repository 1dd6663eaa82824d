// The formats of exports as links: the browser saves the file under the name that the service gives it.
import { hasEnded, type Job } from '../api-types.ts';
import { query } from '../api.ts';
import { Menu } from './menu.tsx';

/** What each format is for, the most used first. */
export const exportFormats = [
  ['zip', 'ZIP', 'a file for each page'],
  ['jsonl', 'JSON Lines', 'a page a line'],
  ['csv', 'CSV', 'for spreadsheets'],
  ['llms-full.txt', 'llms-full.txt', 'all texts in one file'],
  ['llms.txt', 'llms.txt', 'an index for models'],
  ['parquet', 'Parquet', 'for DuckDB, pandas, Spark'],
  ['sqlite', 'SQLite', 'a database'],
] as const;
/** Of jobs that keep what sites sent. */
const rawFormats = [['warc', 'WARC', 'what the sites sent']] as const;
export type ExportFormat = (typeof exportFormats | typeof rawFormats)[number][0];

/** `partial`: the pages that a job has so far; it changes nothing of one that has ended. */
export function exportUrl(job: Job, format: ExportFormat): string {
  return `/crawler/jobs/${job.id}/export${query({ format, partial: hasEnded(job) ? undefined : 'true' })}`;
}

export function ExportMenu({ job }: { job: Job }) {
  if (job.expired || job.progress.scraped === 0) return null;
  const isDone = hasEnded(job);
  return (
    <Menu label={isDone ? 'Export' : 'Export so far'} class={isDone ? 'button-primary' : ''}>
      <ul class="menu-list">
        {[...exportFormats, ...(job.store_raw ? rawFormats : [])].map(([format, name, about]) => (
          <li key={format}>
            <a href={exportUrl(job, format)} download>
              {name} <small class="muted">{about}</small>
            </a>
          </li>
        ))}
      </ul>
    </Menu>
  );
}
