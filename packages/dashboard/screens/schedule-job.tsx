// A job's request, made again at certain times.
import { useRef, useState } from 'preact/hooks';
import type { Job, Schedule } from '../api-types.ts';
import { call } from '../api.ts';
import { shortUrl } from '../format.ts';
import { ConfirmButton, Select } from '../parts/controls.tsx';
import { useSecrets } from '../parts/secret-fields.tsx';
import { requestOf } from '../request.ts';
import { withoutDefaults } from '../request-text.ts';
import { go } from '../router.ts';
import { optionsOf } from '../schema.ts';

const examples: readonly (readonly [string, string])[] = [
  ['every night at 3:00', '0 3 * * *'],
  ['every hour', '@hourly'],
  ['every Monday at 6:00', '0 6 * * MON'],
  ['on the first of each month', '@monthly'],
];

export function ScheduleJob({ job }: { job: Job }) {
  const [cron, setCron] = useState(examples[0]?.[1] ?? '');
  const isOwn = !examples.some(([, text]) => text === cron);
  const secrets = useSecrets(job);
  const name = useRef<HTMLInputElement>(null);
  const zone = useRef<HTMLInputElement>(null);
  return (
    <ConfirmButton
      label="Schedule"
      question="Crawl this again at certain times? Each run is a job of its own; the results of the last ten are kept."
      confirm="Create the schedule"
      dismiss="Not now"
      isHarmless
      act={async () => {
        const { since: _, ...request } = withoutDefaults(requestOf(job), await optionsOf('crawl'));
        const json = {
          name: name.current?.value ?? '',
          cron,
          time_zone: zone.current?.value ?? 'UTC',
          job: { ...request, ...secrets.given() },
        };
        await call<Schedule>('/crawler/schedules', { json });
        go('/schedules');
      }}
    >
      <label class="field">
        Name
        <input ref={name} maxLength={100} defaultValue={shortUrl(job.urls[0] ?? 'schedule').slice(0, 100)} />
      </label>
      <label class="field">
        When
        <Select options={isOwn ? [...examples, ['as below', cron]] : examples} value={cron} set={setCron} />
      </label>
      <label class="field">
        As cron: minute, hour, day, month, day of week
        <input value={cron} maxLength={100} onInput={(event) => setCron(event.currentTarget.value)} />
      </label>
      <label class="field">
        Time zone
        <input ref={zone} maxLength={64} defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone} />
      </label>
      {secrets.fields}
    </ConfirmButton>
  );
}
