// What can be done with the jobs that are selected in the list.
import { useRef, useState } from 'preact/hooks';
import { hasEnded, type Job } from '../api-types.ts';
import { call, can } from '../api.ts';
import { plural, shortUrl } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmButton, Select } from '../parts/controls.tsx';
import { type ExportFormat, exportFormats, exportUrl } from '../parts/export-menu.tsx';

export function SelectedJobs(props: { jobs: readonly Job[]; clear: () => void; reload: () => void }) {
  const { jobs, clear, reload } = props;
  const unfinished = jobs.filter((job) => !hasEnded(job));
  const readable = jobs.filter((job) => !job.expired);
  /** One after the other: a failure names the job, and leaves the rest as it is. */
  const each = async (some: readonly Job[], act: (url: string) => Promise<unknown>): Promise<void> => {
    for (const job of some) {
      await act(`/crawler/jobs/${job.id}`).catch((error: unknown) => {
        throw new Error(`${shortUrl(job.urls[0] ?? job.id)}: ${(error as Error).message}`);
      });
    }
    clear();
    reload();
  };
  return (
    <section class="selected" aria-label="Selected jobs">
      <b>{plural(jobs.length, 'job')} selected</b>
      <div class="row">
        <ExportJobs jobs={readable.filter(({ progress }) => progress.scraped > 0)} />
        {can('write') && unfinished.length > 0 && (
          <ConfirmButton
            label="Cancel"
            question={`Cancel ${plural(unfinished.length, 'unfinished job')}? Pages that were crawled stay readable. A cancelled job cannot continue.`}
            confirm="Cancel them"
            dismiss="Let them run"
            act={() => each(unfinished, (url) => call(`${url}/cancel`, { method: 'POST' }))}
          />
        )}
        {can('write') && readable.length > 0 && (
          <ConfirmButton
            label="Delete"
            question={`Delete the results of ${plural(readable.length, 'job')}? Their pages and URLs cannot be read afterwards.`}
            confirm="Delete the results"
            dismiss="Keep them"
            act={() => each(readable, (url) => call(url, { method: 'DELETE' }))}
          />
        )}
        <Button kind="plain" label="Clear" click={clear} />
      </div>
    </section>
  );
}

/** A link for each job: the service writes one export of an org at a time. */
function ExportJobs({ jobs }: { jobs: readonly Job[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [format, setFormat] = useState<ExportFormat>('zip');
  return (
    <>
      <Button kind="primary" label="Export" disabled={jobs.length === 0} click={() => dialog.current?.showModal()} />
      <dialog ref={dialog} aria-label="Export the selected jobs">
        <label class="field">
          <span>Format</span>
          <Select
            options={exportFormats.map(([name, title, about]) => [`${title}: ${about}`, name] as const)}
            value={format}
            set={setFormat}
          />
        </label>
        <ul class="plain-list export-list">
          {jobs.map((job) => (
            <li key={job.id}>
              <a href={exportUrl(job, format)} download>
                {shortUrl(job.urls[0] ?? job.id)}
              </a>
              <span class="muted">{plural(job.progress.scraped, 'page')}</span>
            </li>
          ))}
        </ul>
        <p class="muted">A file for each job. Start the next one when the last has arrived.</p>
        <div class="row dialog-end">
          <Button label="Close" click={() => dialog.current?.close()} />
        </div>
      </dialog>
    </>
  );
}
