// Fields for headers and cookies whose values were deleted when their job ended.
import { useState } from 'preact/hooks';
import type { Job } from '../api-types.ts';

export interface GivenSecrets {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly cookies: Readonly<Record<string, string>> | undefined;
}

type Kind = keyof GivenSecrets;

/** The fields, and what was typed into them: an empty one gives nothing. */
export function useSecrets(job: Pick<Job, 'headers' | 'cookies'>) {
  const names = (['headers', 'cookies'] as const).flatMap((kind) => job[kind].map((name) => [kind, name] as const));
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const of = (kind: Kind): Record<string, string> | undefined => {
    const pairs = names.flatMap(([each, name]) => {
      const value = values[`${each} ${name}`] ?? '';
      return each === kind && value !== '' ? [[name, value] as const] : [];
    });
    return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
  };
  const fields = names.length > 0 && (
    <div class="stack">
      <p class="muted">
        The first job sent these. Their values were not kept, so give them again; an empty one is not sent.
      </p>
      {names.map(([kind, name]) => (
        <label key={`${kind} ${name}`} class="field">
          <span>
            {kind === 'headers' ? 'Header' : 'Cookie'} <code>{name}</code>
          </span>
          <input
            type="password"
            autoComplete="off"
            value={values[`${kind} ${name}`] ?? ''}
            onInput={(event) => {
              const { value } = event.currentTarget;
              setValues((last) => ({ ...last, [`${kind} ${name}`]: value }));
            }}
          />
        </label>
      ))}
    </div>
  );
  const given = (): GivenSecrets => ({ headers: of('headers'), cookies: of('cookies') });
  return { fields, given };
}
