// A field of the form for one option of a request.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { placeOf } from '../option-names.ts';
import type { JobOption } from '../schema.ts';
import { Prose } from './basics.tsx';
import { Check, Select } from './controls.tsx';

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
  if (kind === 'lines' || kind === 'pairs' || kind === 'json')
    return (
      <TextField id={id} form={kind} label={label} value={value} error={error} set={set}>
        {aboutIt}
      </TextField>
    );
  if (kind === 'boolean')
    return (
      <div class="field field-check">
        <label>
          <Check
            id={id}
            checked={(value ?? fallback) === true}
            aria-describedby={`${id}-about`}
            set={(isOn) => set(isOn === fallback ? undefined : isOn)}
          />
          {label}
        </label>
        {aboutIt}
      </div>
    );
  const common = { id, 'aria-describedby': `${id}-about`, 'aria-invalid': error !== undefined };
  const control =
    kind === 'choice' ? (
      <Select
        {...common}
        options={choices.map((choice) => [choiceName(choice), choice] as const)}
        value={value ?? fallback ?? null}
        set={(chosen) => set(chosen === (fallback ?? null) ? undefined : chosen)}
      />
    ) : (
      <input
        {...common}
        {...(kind === 'number' ? ({ type: 'number', inputMode: 'numeric', min, max, step: 1 } as const) : {})}
        value={shown(value) ?? ''}
        placeholder={shown(fallback) ?? 'not set'}
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

function shown(value: unknown, indent = 0): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value, null, indent);
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

/** How a value is written in a field of several lines, and what is read from it: undefined if there is nothing. */
interface TextForm {
  readonly placeholder?: string;
  readonly text: (value: unknown) => string;
  readonly read: (text: string) => unknown;
}

const textForms: Readonly<Record<'lines' | 'pairs' | 'json', TextForm>> = {
  /** One text a line. */
  lines: {
    text: (value) => (Array.isArray(value) ? value.join('\n') : ''),
    read: (text) => {
      const lines = linesOf(text);
      return lines.length === 0 ? undefined : lines;
    },
  },
  /** A name and a value a line. */
  pairs: {
    placeholder: 'Name: value',
    text: (value) => {
      const pairs = typeof value === 'object' && value !== null ? Object.entries(value) : [];
      return pairs.map(([name, each]) => `${name}: ${String(each)}`).join('\n');
    },
    read: (text) => {
      const pairs = linesOf(text).map((line) => {
        const [name = '', ...rest] = line.split(':');
        return [name.trim(), rest.join(':').trim()] as const;
      });
      return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
    },
  },
  /** Text that is no JSON is sent as it is: the service says what it takes. */
  json: {
    placeholder: '{"fields": {"price": {"css": ".price"}}}',
    text: (value) => shown(value, 2) ?? '',
    read: (text) => {
      if (text.trim() === '') return undefined;
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    },
  },
};

export function TextField(props: {
  id: string;
  form: keyof typeof textForms;
  label: string;
  value: unknown;
  error: string | undefined;
  set: (value: unknown) => void;
  /** What the field means. */
  children: ComponentChildren;
  isRequired?: boolean;
  placeholder?: string;
}) {
  const { id, form, label, value, error, set, children, isRequired = false } = props;
  const { text: textOf, read, placeholder = props.placeholder } = textForms[form];
  // The text as typed: a line that is being typed can be empty.
  const [text, setText] = useState(textOf(value));
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
        onInput={(event) => {
          setText(event.currentTarget.value);
          set(read(event.currentTarget.value));
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
