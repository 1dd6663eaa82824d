// What can be done with a job.
import { useState } from 'preact/hooks';
import { hasEnded, isStopped, type Job } from '../api-types.ts';
import { call, can } from '../api.ts';
import { plural } from '../format.ts';
import { ConfirmButton } from '../parts/basics.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { useSecrets } from '../parts/secret-fields.tsx';
import { go } from '../router.ts';
import { ConvertAgain } from './convert-again.tsx';
import { ScheduleJob } from './schedule-job.tsx';

const daySeconds = 24 * 3600;
/** How long results are kept after the end of the job. */
const keeps: readonly (readonly [string, number | null])[] = [
  ['until they are deleted', null],
  ['for a day after the end of the job', daySeconds],
  ['for a week', 7 * daySeconds],
  ['for 30 days', 30 * daySeconds],
  ['for a year', 365 * daySeconds],
];

export function JobActions({ job, reload }: { job: Job; reload: () => void }) {
  const url = `/crawler/jobs/${job.id}`;
  const post = async (verb: string): Promise<void> => {
    await call(`${url}/${verb}`, { method: 'POST' });
    reload();
  };
  const isDone = hasEnded(job);
  return (
    <div class="actions">
      <ExportMenu job={job} />
      {can('write') && (
        <>
          {!isDone &&
            (isStopped(job) ? (
              <button type="button" class="button button-primary" onClick={() => void post('resume')}>
                Resume
              </button>
            ) : (
              <ConfirmButton
                label="Stop"
                question="Stop this crawl? It keeps everything, and continues from here when somebody resumes it."
                confirm="Stop the crawl"
                dismiss="Let it run"
                isHarmless
                act={() => post('stop')}
              />
            ))}
          {!isDone && (
            <ConfirmButton
              label="Cancel"
              question="End this crawl for good? Pages that were crawled stay readable. A cancelled job cannot continue."
              confirm="Cancel the job"
              dismiss="Let it run"
              act={() => post('cancel')}
            />
          )}
          {isDone && job.progress.failed > 0 && !job.expired && <Retry job={job} />}
          {isDone && !job.expired && <Keep job={job} reload={reload} />}
          {isDone && job.store_raw && !job.expired && <ConvertAgain job={job} />}
          <a class="button" href={`/new?from=${job.reextractOf ?? job.id}`}>
            Crawl again
          </a>
          {job.kind === 'crawl' && <ScheduleJob job={job} />}
          {!job.expired && (
            <ConfirmButton
              label="Delete"
              question="Delete the results of this job? Its pages and URLs cannot be read afterwards."
              confirm="Delete the results"
              act={async () => {
                await call(url, { method: 'DELETE' });
                go('/');
              }}
            />
          )}
        </>
      )}
    </div>
  );
}

/** The values of headers and cookies were deleted when the job ended, so they are asked for. */
function Retry({ job }: { job: Job }) {
  const secrets = useSecrets(job);
  return (
    <ConfirmButton
      label="Retry failed"
      question={`Crawl ${plural(job.progress.failed, 'failed URL')} again, as a new job with the same options?`}
      confirm="Retry"
      isHarmless
      dismiss="Not now"
      act={async () => {
        const created = await call<Job>(`/crawler/jobs/${job.id}/retry`, { json: secrets.given() });
        go(`/jobs/${created.id}`);
      }}
    >
      {secrets.fields}
    </ConfirmButton>
  );
}

function Keep({ job, reload }: { job: Job; reload: () => void }) {
  const [chosen, setChosen] = useState(0);
  const isPast = (seconds: number | null): boolean =>
    seconds !== null && (job.finishedAt ?? 0) + seconds * 1000 < Date.now();
  return (
    <ConfirmButton
      label="Keep"
      question="How long are the results of this job kept?"
      confirm="Keep them so long"
      dismiss="Change nothing"
      isHarmless
      act={async () => {
        const json = { output_expiry: keeps[chosen]?.[1] ?? null };
        await call(`/crawler/jobs/${job.id}`, { method: 'PATCH', json });
        reload();
      }}
    >
      <select
        aria-label="How long the results are kept"
        value={chosen}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      >
        {keeps.map(([label, seconds], index) => (
          <option key={label} value={index} disabled={isPast(seconds)}>
            {label}
          </option>
        ))}
      </select>
    </ConfirmButton>
  );
}
