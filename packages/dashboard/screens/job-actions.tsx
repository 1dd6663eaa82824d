// What can be done with a job.
import { useState } from 'preact/hooks';
import { hasEnded, isStopped, type Job } from '../api-types.ts';
import { call, can } from '../api.ts';
import { plural } from '../format.ts';
import { Button, LinkButton } from '../parts/button.tsx';
import { ConfirmButton, Select } from '../parts/controls.tsx';
import { ErrorNote } from '../parts/basics.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { useLoaded } from '../parts/loaded.tsx';
import { OptionField } from '../parts/option-field.tsx';
import { useSecrets } from '../parts/secret-fields.tsx';
import { type Input, requestOf } from '../request.ts';
import { go } from '../router.ts';
import { type JobOption, optionsAt } from '../schema.ts';
import { createSchedule, ScheduleDialog } from './schedule-job.tsx';

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
  const post = (verb: string): Promise<void> => call(`${url}/${verb}`, { method: 'POST' }).then(reload);
  const isDone = hasEnded(job);
  return (
    <div class="row">
      <ExportMenu job={job} />
      {can('write') && (
        <>
          {!isDone &&
            (isStopped(job) ? (
              <Button kind="primary" label="Resume" click={() => post('resume')} />
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
          <LinkButton label="Crawl again" href={`/new?from=${job.reextractOf ?? job.id}`} />
          {job.kind === 'crawl' && (
            <ScheduleDialog
              label="Schedule"
              question="Crawl this again at certain times? Each run is a job of its own."
              confirm="Create the schedule"
              of={job}
              save={createSchedule}
            />
          )}
          {!job.expired && (
            <ConfirmButton
              label="Delete"
              question="Delete the results of this job? Its pages and URLs cannot be read afterwards."
              confirm="Delete the results"
              act={() => call(url, { method: 'DELETE' }).then(() => go('/'))}
            />
          )}
        </>
      )}
    </div>
  );
}

function goToJob({ id }: Job): void {
  go(`/jobs/${id}`);
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
      act={() => call<Job>(`/crawler/jobs/${job.id}/retry`, { json: secrets.given() }).then(goToJob)}
    >
      {secrets.fields}
    </ConfirmButton>
  );
}

function Keep({ job, reload }: { job: Job; reload: () => void }) {
  const [seconds, setSeconds] = useState<number | null>(null);
  const isPast = (after: number | null): boolean => after !== null && (job.finishedAt ?? 0) + after * 1000 < Date.now();
  return (
    <ConfirmButton
      label={job.expiresAt === null ? 'Kept until deleted' : 'Keep'}
      question="How long are the results of this job kept?"
      confirm="Keep them so long"
      dismiss="Change nothing"
      isHarmless
      act={() => call(`/crawler/jobs/${job.id}`, { method: 'PATCH', json: { output_expiry: seconds } }).then(reload)}
    >
      <Select
        aria-label="How long the results are kept"
        options={keeps}
        value={seconds}
        set={setSeconds}
        isOff={isPast}
      />
    </ConfirmButton>
  );
}

/** The pages of a job made again of what their sites sent, with other options: a new job, without a request to the site. */
function ConvertAgain({ job }: { job: Job }) {
  const [changed, setChanged] = useState<Input>({});
  const { value: options, error } = useLoaded('options reextract', () => optionsAt('/crawler/jobs/{id}/reextract'));
  const before = requestOf(job);
  const set = ({ name, kind, default: fallback }: JobOption, value: unknown): void => {
    const given = value ?? fallback ?? (kind === 'lines' ? [] : kind === 'json' ? null : '');
    const { [name]: _, ...rest } = changed;
    setChanged(JSON.stringify(given) === JSON.stringify(before[name]) ? rest : { ...rest, [name]: given });
  };
  return (
    <ConfirmButton
      label="Convert again"
      question="Make all pages again of what their sites sent, as a new job? No site is asked."
      confirm="Convert"
      isHarmless
      dismiss="Not now"
      act={() => call<Job>(`/crawler/jobs/${job.id}/reextract`, { json: changed }).then(goToJob)}
    >
      {error && <ErrorNote error={error} />}
      <div class="form-grid">
        {options?.map((option) => (
          <OptionField
            key={option.name}
            option={option}
            value={changed[option.name] ?? before[option.name]}
            error={undefined}
            set={(value) => set(option, value)}
          />
        ))}
      </div>
    </ConfirmButton>
  );
}
