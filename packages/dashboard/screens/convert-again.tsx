// The pages of a job made again of what their sites sent, with other options: a new job, without a request to the site.
import { useState } from 'preact/hooks';
import type { Job } from '../api-types.ts';
import { call } from '../api.ts';
import { ConfirmButton, ErrorNote } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { OptionField } from '../parts/option-field.tsx';
import { type Input, requestOf } from '../request.ts';
import { go } from '../router.ts';
import { type JobOption, optionsAt } from '../schema.ts';

export function ConvertAgain({ job }: { job: Job }) {
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
      act={async () => {
        const created = await call<Job>(`/crawler/jobs/${job.id}/reextract`, { json: changed });
        go(`/jobs/${created.id}`);
      }}
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
