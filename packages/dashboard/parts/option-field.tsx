// A field of the form for one option of a request.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { placeOf } from '../option-names.ts';
import type { JobOption } from '../schema.ts';
import { Prose } from './basics.tsx';

interface FieldProps {
  readonly option: JobOption;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly set: (value: unknown) => void;
}

export function OptionField({ option, value, error, set }: FieldProps) {
  const { name, about, kind, choices, default: fallback, min, max, takesNumbers } = option;
  const id = `option-${name}`;
  const label = placeOf(name).name;
  const aboutIt = <About id={id} name={name} about={about} error={error} />;
  if (kind === 'lines' || kind === 'pairs' || kind === 'json') {
    const Field = { lines: Lines, pairs: Pairs, json: Json }[kind];
    return (
      <Field id={id} label={label} value={value} error={error} set={set}>
        {aboutIt}
      </Field>
    );
  }
  if (kind === 'boolean')
    return (
      <div class="field field-check">
        <label>
          <input
            id={id}
            type="checkbox"
            checked={(value ?? fallback) === true}
            aria-describedby={`${id}-about`}
            onChange={({ currentTarget: { checked } }) => set(checked === fallback ? undefined : checked)}
          />
          {label}
        </label>
        {aboutIt}
      </div>
    );
  const control =
    kind === 'choice' ? (
      <select
        id={id}
        value={JSON.stringify(value ?? fallback ?? null)}
        aria-describedby={`${id}-about`}
        aria-invalid={error !== undefined}
        onChange={(event) => {
          const chosen: unknown = JSON.parse(event.currentTarget.value);
          set(chosen === (fallback ?? null) ? undefined : chosen);
        }}
      >
        {choices.map((choice) => (
          <option key={choiceName(choice)} value={JSON.stringify(choice)}>
            {choiceName(choice)}
          </option>
        ))}
      </select>
    ) : (
      <input
        id={id}
        {...(kind === 'number' ? ({ type: 'number', inputMode: 'numeric', min, max, step: 1 } as const) : {})}
        value={shown(value) ?? ''}
        placeholder={shown(fallback) ?? 'not set'}
        aria-describedby={`${id}-about`}
        aria-invalid={error !== undefined}
        onInput={(event) => {
          const text = event.currentTarget.value;
          const isNumber = kind === 'number' || (takesNumbers && /^\d+$/.test(text));
          set(text === '' ? undefined : isNumber ? Number(text) : text);
        }}
      />
    );
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {control}
      {aboutIt}
    </div>
  );
}

function choiceName(choice: unknown): string {
  if (choice === true) return 'yes';
  if (choice === false) return 'no';
  return shown(choice) ?? 'not set';
}

function shown(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is wrong; then the meaning in one line, and whole when it is opened, with the name in the request. */
function About(props: { id: string; name: string; about: string; error: string | undefined }) {
  const { id, name, about, error } = props;
  const [, head = about, tail = ''] = /^(.{20,}?[.])\s+(.*)$/s.exec(about) ?? [];
  return (
    <div class="about" id={`${id}-about`}>
      {error !== undefined && <p class="bad">{error}</p>}
      <details>
        <summary>
          <small>
            <Prose text={head} />
          </small>
        </summary>
        <small>
          <Prose text={`${tail} In the request: \`${name}\`.`.trim()} />
        </small>
      </details>
    </div>
  );
}

interface TextProps {
  readonly id: string;
  readonly label: string;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly set: (value: unknown) => void;
  /** What the field means. */
  readonly children: ComponentChildren;
  readonly isRequired?: boolean;
  readonly placeholder?: string;
}

/** One text a line. */
export function Lines(props: TextProps) {
  const given = Array.isArray(props.value) ? props.value.map(String) : [];
  return (
    <TextField
      {...props}
      text={given.join('\n')}
      read={(text) => {
        const lines = linesOf(text);
        return lines.length === 0 ? undefined : lines;
      }}
    />
  );
}

/** A name and a value a line. */
function Pairs(props: TextProps) {
  const { value } = props;
  const given = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return (
    <TextField
      {...props}
      placeholder="Name: value"
      text={given.map(([name, each]) => `${name}: ${String(each)}`).join('\n')}
      read={(text) => {
        const pairs = linesOf(text).map((line) => {
          const [name = '', ...rest] = line.split(':');
          return [name.trim(), rest.join(':').trim()] as const;
        });
        return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
      }}
    />
  );
}

/** Text that is no JSON is sent as it is: the service says what it takes. */
function Json(props: TextProps) {
  const { value } = props;
  return (
    <TextField
      {...props}
      placeholder='{"fields": {"price": {"css": ".price"}}}'
      text={
        value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)
      }
      read={(text) => {
        if (text.trim() === '') return undefined;
        try {
          return JSON.parse(text) as unknown;
        } catch {
          return text;
        }
      }}
    />
  );
}

function TextField(props: TextProps & { text: string; read: (text: string) => unknown }) {
  const { id, label, error, set, children, isRequired = false, placeholder, read } = props;
  // The text as typed: a line that is being typed can be empty.
  const [text, setText] = useState(props.text);
  return (
    <div class={`field ${isRequired ? 'field-wide' : ''}`}>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        value={text}
        required={isRequired}
        spellcheck={false}
        placeholder={placeholder}
        aria-describedby={`${id}-about`}
        aria-invalid={error !== undefined}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          set(read(value));
        }}
      />
      {children}
    </div>
  );
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
