// A new job: a form made from the schema of the request, and the same request in other words.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job, Preview } from '../api-types.ts';
import { ApiError, call } from '../api.ts';
import { ErrorNote, Prose, Skeleton } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { RequestCode } from '../parts/request-code.tsx';
import type { Input } from '../request-text.ts';
import { go, search } from '../router.ts';
import { jobOptions, type JobOption } from '../schema.ts';
import { words } from '../format.ts';
import { requestOf } from './job.tsx';
import { PreviewResult } from './preview.tsx';

/** Shown first; the others open on demand. */
const first = ['page_limit', 'output_format', 'scope', 'max_depth', 'include_globs', 'exclude_globs', 'use_browser'];

export function NewJobScreen() {
  const from = search.value.get('from');
  const { value: options, error, reload } = useLoaded('options', jobOptions);
  const origin = useLoaded(from ?? '', async (signal) =>
    from === null ? {} : requestOf(await call<Job>(`/crawler/jobs/${encodeURIComponent(from)}`, { signal })),
  );
  useEffect(() => void (document.title = 'New job · hayrake'), []);
  const failure = error ?? origin.error;
  return (
    <div class="page">
      <p class="crumbs">
        <a href="/">Jobs</a> <span aria-hidden="true">/</span> New
      </p>
      <h1>New job</h1>
      {failure && <ErrorNote error={failure} retry={reload} />}
      {options && origin.value ? <Form options={options} start={origin.value} /> : !failure && <Skeleton lines={10} />}
    </div>
  );
}

function Form({ options, start }: { options: readonly JobOption[]; start: Input }) {
  const [input, setInput] = useState<Input>(start);
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [filter, setFilter] = useState('');
  /** The last preview, and the request that it is of. */
  const [shown, setShown] = useState<{ readonly preview: Preview; readonly input: Input }>();
  /** Rises when the start URLs change otherwise than by typing. */
  const [round, setRound] = useState(0);
  const [isPreviewing, setPreviewing] = useState(false);
  const previewing = useRef<AbortController>(undefined);
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => () => previewing.current?.abort(), []);
  const form = useRef<HTMLFormElement>(null);

  const set = (name: string, value: unknown): void =>
    setInput((last) => {
      const { [name]: _, ...rest } = last;
      return value === undefined ? rest : { ...rest, [name]: value };
    });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const job = await call<Job>('/crawler/jobs', { method: 'POST', json: input });
      go(`/jobs/${job.id}`);
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setBusy(false);
    }
  };
  const preview = async (request: Input): Promise<void> => {
    previewing.current?.abort();
    const abort = new AbortController();
    previewing.current = abort;
    setPreviewing(true);
    setError(undefined);
    try {
      const found = await call<Preview>('/crawler/jobs/preview', {
        method: 'POST',
        json: request,
        signal: abort.signal,
      });
      setShown({ preview: found, input: request });
      result.current?.focus();
    } catch (failure) {
      if (!abort.signal.aborted) setError(failure as Error);
    } finally {
      if (previewing.current === abort) setPreviewing(false);
    }
  };
  const errorOf = (name: string): string | undefined =>
    error instanceof ApiError
      ? error.fields
          .filter(({ field }) => field.split(/[[.]/)[0] === name)
          .map(({ field, message }) => (field === name ? message : `${field}: ${message}`))
          .join(' ') || undefined
      : undefined;
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const firstOptions = first.flatMap((name) => options.find((option) => option.name === name) ?? []);
  const others = options.filter((option) => !first.includes(option.name));
  const matching = others.filter(({ name, about }) =>
    `${words(name)} ${about}`.toLowerCase().includes(filter.toLowerCase()),
  );
  const field = (option: JobOption) => (
    <OptionField
      key={option.name}
      option={option}
      value={input[option.name]}
      error={errorOf(option.name)}
      set={(value) => set(option.name, value)}
    />
  );
  const urls = Array.isArray(input['urls']) ? input['urls'].map(String) : [];
  /** Goes to the page that the start URL redirects to. */
  const begin = (url: string): void => {
    const moved = { ...input, urls: [url, ...urls.slice(1)] };
    setInput(moved);
    setRound(round + 1);
    void preview(moved);
  };
  const format = shown?.input['output_format'];
  return (
    <>
      <div class="split">
        <form ref={form} class="card form" onSubmit={(event) => void submit(event)}>
          <Lines
            // The field keeps its text as typed, so other URLs are another field.
            key={round}
            id="urls"
            label="Start URLs"
            about="One per line, with http or https"
            value={urls}
            error={errorOf('urls')}
            isRequired
            placeholder="https://docs.example.com/"
            set={(value) => set('urls', value)}
          />
          <div class="form-grid">{firstOptions.map(field)}</div>
          <details class="more-options">
            <summary>
              All options <span class="muted">({others.length} more)</span>
            </summary>
            <input
              type="search"
              class="search"
              placeholder="Filter options"
              aria-label="Filter options"
              value={filter}
              onInput={(event) => setFilter(event.currentTarget.value)}
            />
            <div class="form-grid">{matching.map(field)}</div>
            {matching.length === 0 && <p class="muted">No option matches.</p>}
          </details>
          {error && <ErrorNote error={error} />}
          <div class="actions">
            <button type="submit" class="button button-primary" disabled={isBusy}>
              Start the crawl
            </button>
            <button
              type="button"
              class="button"
              disabled={isPreviewing}
              aria-describedby="preview-about"
              onClick={() => {
                if (form.current?.reportValidity() === true) void preview(input);
              }}
            >
              {isPreviewing ? 'Looking at the site …' : 'Preview'}
            </button>
            <small id="preview-about" class="muted">
              Reads robots.txt, the first page and a sitemap. Stores nothing.
            </small>
          </div>
        </form>
        <aside class="card aside" aria-label="The same request">
          <h2>The same request</h2>
          <RequestCode
            input={{ urls: urls.length > 0 ? urls : ['https://docs.example.com/'], ...omit(input, 'urls') }}
          />
        </aside>
      </div>
      <div ref={result} class="preview-place" tabIndex={-1} aria-live="polite" aria-busy={isPreviewing}>
        {shown && shown.input !== input && <p class="note note-warn">The request has changed since this preview.</p>}
        {shown && (
          <PreviewResult
            preview={shown.preview}
            format={format === 'html' || format === 'text' ? format : 'markdown'}
            begin={begin}
          />
        )}
      </div>
    </>
  );
}

function omit(input: Input, name: string): Input {
  return Object.fromEntries(Object.entries(input).filter(([each]) => each !== name));
}

interface FieldProps {
  readonly option: JobOption;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly set: (value: unknown) => void;
}

function OptionField({ option, value, error, set }: FieldProps) {
  const { name, about, kind, choices, default: fallback, min, max, takesNumbers } = option;
  const id = `option-${name}`;
  const label = words(name);
  if (kind === 'lines')
    return (
      <Lines
        id={id}
        label={label}
        about={about}
        value={Array.isArray(value) ? value.map(String) : []}
        error={error}
        set={(lines) => set(lines.length === 0 ? undefined : lines)}
      />
    );
  if (kind === 'pairs') return <Pairs id={id} label={label} about={about} value={value} error={error} set={set} />;
  if (kind === 'boolean')
    return (
      <div class="field field-check">
        <label>
          <input
            id={id}
            type="checkbox"
            checked={(value ?? fallback) === true}
            aria-describedby={`${id}-about`}
            onChange={(event) =>
              set(event.currentTarget.checked === fallback ? undefined : event.currentTarget.checked)
            }
          />
          {label}
        </label>
        <About id={id} about={about} error={error} />
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
      <About id={id} about={about} error={error} />
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

/** The meaning in one line, and whole when it is opened. */
function About({ id, about, error }: { id: string; about: string; error: string | undefined }) {
  const [, head = about, tail = ''] = /^(.{20,}?[.:])\s+(.*)$/s.exec(about) ?? [];
  return (
    <div class="about" id={`${id}-about`}>
      {error !== undefined && <p class="bad">{error}</p>}
      {tail === '' ? (
        <small>
          <Prose text={head} />
        </small>
      ) : (
        <details>
          <summary>
            <small>
              <Prose text={head} />
            </small>
          </summary>
          <small>
            <Prose text={tail} />
          </small>
        </details>
      )}
    </div>
  );
}

interface LinesProps {
  readonly id: string;
  readonly label: string;
  readonly about: string;
  readonly value: readonly string[];
  readonly error: string | undefined;
  readonly isRequired?: boolean;
  readonly placeholder?: string;
  readonly set: (value: readonly string[]) => void;
}

function Lines({ id, label, about, value, error, isRequired = false, placeholder, set }: LinesProps) {
  // The text as typed: a line that is being typed can be empty.
  const [text, setText] = useState(value.join('\n'));
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
          set(linesOf(event.currentTarget.value));
        }}
      />
      <About id={id} about={about} error={error} />
    </div>
  );
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

type PairsProps = Omit<FieldProps, 'option'> & { readonly id: string; readonly label: string; readonly about: string };

function Pairs({ id, label, about, value, error, set }: PairsProps) {
  const given = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const [text, setText] = useState(given.map(([name, each]) => `${name}: ${String(each)}`).join('\n'));
  return (
    <div class="field field-wide">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={2}
        value={text}
        spellcheck={false}
        placeholder="Name: value"
        aria-describedby={`${id}-about`}
        aria-invalid={error !== undefined}
        onInput={(event) => {
          setText(event.currentTarget.value);
          const pairs = linesOf(event.currentTarget.value).map((line) => {
            const [name = '', ...rest] = line.split(':');
            return [name.trim(), rest.join(':').trim()] as const;
          });
          set(pairs.length === 0 ? undefined : Object.fromEntries(pairs));
        }}
      />
      <About id={id} about={about} error={error} />
    </div>
  );
}
