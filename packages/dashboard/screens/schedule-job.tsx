// The dialog that makes a schedule, or changes one: its times, what it keeps, and the request of its runs.
import { useState } from 'preact/hooks';
import type { Job, Schedule } from '../api-types.ts';
import { call } from '../api.ts';
import { shortUrl } from '../format.ts';
import { ConfirmButton, Select } from '../parts/controls.tsx';
import { TextField } from '../parts/option-field.tsx';
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

type Fields = Partial<Pick<Schedule, 'name' | 'cron' | 'time_zone' | 'keep' | 'job'>>;

/** Without a start it makes one for a job, or one whose request is to be written. */
export function ScheduleDialog(props: {
  label: string;
  question: string;
  confirm: string;
  start?: Fields;
  of?: Job;
  kind?: 'small';
  save: (fields: Fields) => Promise<void>;
}) {
  const { label, question, confirm, start = {}, of, kind, save } = props;
  const [fields, setFields] = useState<Fields>({
    name: shortUrl(of?.urls[0] ?? 'schedule').slice(0, 100),
    cron: examples[0]?.[1] ?? '',
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    keep: 10,
    job: { urls: ['https://example.com'] },
    ...start,
  });
  const [changed, setChanged] = useState<Fields>({});
  const secrets = useSecrets(of ?? { headers: [], cookies: [] });
  const isNew = props.start === undefined;
  const set = (part: Fields): void => {
    setFields({ ...fields, ...part });
    setChanged({ ...changed, ...part });
  };
  const { name = '', cron = '', time_zone: zone = '', keep = 10 } = fields;
  const isOwn = !examples.some(([, text]) => text === cron);
  return (
    <ConfirmButton
      label={label}
      {...(kind && { kind })}
      question={question}
      confirm={confirm}
      dismiss="Not now"
      isHarmless
      act={async () => {
        if (!of) return save(isNew ? fields : changed);
        const { since: _, ...request } = withoutDefaults(requestOf(of), await optionsOf('crawl'));
        return save({ ...fields, job: { ...request, ...secrets.given() } });
      }}
    >
      <label class="field">
        Name
        <input maxLength={100} value={name} onInput={({ currentTarget }) => set({ name: currentTarget.value })} />
      </label>
      <label class="field">
        When
        <Select
          options={isOwn ? [...examples, ['as below', cron]] : examples}
          value={cron}
          set={(text) => set({ cron: text })}
        />
      </label>
      <label class="field">
        As cron: minute, hour, day, month, day of week
        <input maxLength={100} value={cron} onInput={({ currentTarget }) => set({ cron: currentTarget.value })} />
      </label>
      <label class="field">
        Time zone
        <input maxLength={64} value={zone} onInput={({ currentTarget }) => set({ time_zone: currentTarget.value })} />
      </label>
      <label class="field">
        Runs whose results are kept
        <input
          type="number"
          min={1}
          value={keep}
          onInput={({ currentTarget }) => set({ keep: Number(currentTarget.value) })}
        />
      </label>
      {!of && (
        <TextField
          id={`schedule-${label}-${start.name ?? ''}`}
          form="json"
          label="Request of each run, as JSON"
          value={fields.job}
          error={undefined}
          set={(job) => set({ job: job as Schedule['job'] })}
        >
          <small class="muted">Stored headers and cookies stay, as long as the start hosts are the same.</small>
        </TextField>
      )}
      {secrets.fields}
    </ConfirmButton>
  );
}

export async function createSchedule(json: Fields): Promise<void> {
  await call<Schedule>('/crawler/schedules', { json });
  go('/schedules');
}
