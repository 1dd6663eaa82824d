// A new job: a form made from the schema of the request, a preview of it, and the same request in other words.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job, Mapped, Preview } from '../api-types.ts';
import { ApiError, call } from '../api.ts';
import { ErrorNote } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { Chips, SearchInput } from '../parts/controls.tsx';
import { useAction, useTitle } from '../parts/hooks.ts';
import { useLoaded } from '../parts/loaded.tsx';
import { OptionField, TextField } from '../parts/option-field.tsx';
import { RequestCode } from '../parts/request-code.tsx';
import { groups, placeOf } from '../option-names.ts';
import { bodyOf, type Input, type Kind, kindPaths, kinds, type Origin, originOf } from '../request.ts';
import { withoutDefaults } from '../request-text.ts';
import { fragment, go, search } from '../router.ts';
import { type JobOption, optionsOf } from '../schema.ts';
import { MapResult } from './map-result.tsx';
import { PreviewResult } from './preview.tsx';

const kindNames = {
  crawl: { title: 'Follow the links of a site', button: 'Start the crawl', urls: 'Start URLs' },
  batch: { title: 'Only these pages', button: 'Read these pages', urls: 'URLs' },
  map: { title: 'List the URLs of a site', button: 'List the URLs', urls: 'Start URL' },
} as const;

const previewPath = '/crawler/jobs/preview';
const noOrigin: Origin = { kind: 'crawl', input: {}, headers: [], cookies: [] };
const lookingText = 'Looking at the site …';

export function NewJobScreen() {
  const [from, since] = [search.value.get('from'), search.value.get('since')];
  const { value, notice } = useLoaded<Origin>(
    from ?? '',
    async (signal) => (from === null ? noOrigin : originOf(from, signal)),
    10,
  );
  useTitle('New job');
  const extract = fragment.value.get('extract');
  return (
    <div class="page">
      <p class="crumbs small muted">
        <a href="/">Jobs</a> <span aria-hidden="true">/</span> New
      </p>
      <h1>New job</h1>
      {notice}
      {value && (
        <KindForm
          key={`${from} ${extract}`}
          origin={withExtract(since === null ? value : { ...value, input: { ...value.input, since } }, extract)}
        />
      )}
    </div>
  );
}

/** Fields that were picked on a page. */
function withExtract(origin: Origin, extract: string | null): Origin {
  if (extract === null) return origin;
  try {
    return { ...origin, input: { ...origin.input, extract: JSON.parse(extract) as unknown } };
  } catch {
    // The form shows it as it is, and the service says what it takes.
    return { ...origin, input: { ...origin.input, extract } };
  }
}

function KindForm({ origin }: { origin: Origin }) {
  const [kind, setKind] = useState(origin.kind);
  // The values of headers and cookies were not kept: the fields have their names.
  const names = (given: readonly string[]): object | undefined =>
    given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, '']));
  const [input, setInput] = useState<Input>({
    ...origin.input,
    ...(origin.headers.length > 0 && { headers: names(origin.headers) }),
    ...(origin.cookies.length > 0 && { cookies: names(origin.cookies) }),
  });
  const { value: options, notice } = useLoaded(`options ${kind}`, () => optionsOf(kind), 10);
  const set = (name: string, value: unknown): void => {
    const { [name]: _, ...rest } = input;
    setInput(value === undefined ? rest : { ...rest, [name]: value });
  };
  const asked = [...origin.headers, ...origin.cookies];
  return (
    <>
      {asked.length > 0 && (
        <p class="note note-warn">
          The first job sent {asked.join(', ')}. The values were not kept: give them again below, or remove their lines.
        </p>
      )}
      <Chips
        label="What to do"
        choices={kinds.map((each) => [each, kindNames[each].title] as const)}
        chosen={kind}
        choose={setKind}
      />
      {notice}
      {options && <Form key={kind} {...{ kind, options, input, setInput, set, setKind }} />}
    </>
  );
}

/** Errors by option; `rest` is what belongs to none that is shown. */
interface Problems {
  readonly fields: ReadonlyMap<string, string>;
  readonly rest: Error | undefined;
}

const noProblems: Problems = { fields: new Map(), rest: undefined };

function Form(props: {
  kind: Kind;
  options: readonly JobOption[];
  input: Input;
  setInput: (input: Input) => void;
  set: (name: string, value: unknown) => void;
  setKind: (kind: Kind) => void;
}) {
  const { kind, options, input, setInput, set, setKind } = props;
  const [problems, setProblems] = useState(noProblems);
  const [filter, setFilter] = useState('');
  /** Rises when the start URLs change otherwise than by typing. */
  const [round, setRound] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problems !== noProblems) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  const names = new Set(['urls', ...options.map(({ name }) => name)]);
  const post = <Answered,>(path: string, given: Input, signal?: AbortSignal): Promise<Answered> =>
    call(path, { json: bodyOf(kind, withoutDefaults(given, options)), ...(signal && { signal }) });
  const fail = (error: Error): void => setProblems(problemsOf(error, names));
  const creating = useAction(fail);
  const looking = useAction(fail);
  const [shown, setShown] = useState<Shown>();

  const isComplete = (): boolean => {
    if (form.current?.reportValidity() !== true) return false;
    const missing = unanswered(input).filter(([name]) => names.has(name));
    setProblems(missing.length === 0 ? noProblems : { fields: new Map(missing), rest: undefined });
    return missing.length === 0;
  };
  const look = (given: Input, path: string): void =>
    void looking.run(async (signal) => {
      setShown(undefined);
      setProblems(noProblems);
      setShown({ response: await post(path, given, signal), input: given });
    });
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isComplete()) return;
    if (kind === 'map') look(input, kindPaths.map);
    else void creating.run(async () => go(`/jobs/${(await post<Job>(kindPaths[kind], input)).id}`));
  };
  const isMap = kind === 'map';
  const urls = Array.isArray(input['urls']) ? input['urls'].map(String) : [];
  const startFrom = (changed: Input): void => {
    setInput(changed);
    setRound(round + 1);
  };
  const found = options.filter(({ name, about }) =>
    `${name} ${placeOf(name).name} ${about}`.toLowerCase().includes(filter.toLowerCase()),
  );
  const isOpen = ({ name }: JobOption): boolean => filter !== '' || problems.fields.has(name) || hasNames(input[name]);
  const field = (option: JobOption) => (
    <OptionField
      key={option.name}
      option={option}
      value={input[option.name]}
      error={problems.fields.get(option.name)}
      set={(value) => set(option.name, value)}
    />
  );
  return (
    <>
      <div class="split">
        <form ref={form} class="card form" onSubmit={submit}>
          <SearchInput label="Find an option" value={filter} set={setFilter} />
          {groups.map((group) => (
            <OptionGroup key={group} name={group} options={found} isOpen={isOpen} field={field}>
              {group === 'What' && (
                // The field keeps its text as typed, so other URLs are another field.
                <StartUrls key={round} {...{ kind, urls, set }} error={problems.fields.get('urls')} />
              )}
            </OptionGroup>
          ))}
          {problems.rest && <ErrorNote error={problems.rest} />}
          <div class="row form-end">
            <Button
              type="submit"
              kind="primary"
              label={isMap && looking.isBusy ? lookingText : kindNames[kind].button}
              disabled={creating.isBusy || (isMap && looking.isBusy)}
            />
            {kind === 'crawl' && (
              <Button
                label={looking.isBusy ? lookingText : 'Preview'}
                disabled={looking.isBusy}
                aria-describedby="preview-about"
                click={() => isComplete() && look(input, previewPath)}
              />
            )}
            {kind === 'crawl' && (
              <small id="preview-about" class="muted">
                Reads robots.txt, the first page and a sitemap. Stores nothing.
              </small>
            )}
          </div>
        </form>
        <aside class="card aside" aria-label="The same request">
          <h2>The same request</h2>
          <RequestCode kind={kind} input={{ ...input, urls: urls.length > 0 ? urls : ['docs.example.com'] }} />
        </aside>
      </div>
      <LookResult
        shown={shown}
        isBusy={looking.isBusy}
        input={input}
        // Goes to the page that the start URL redirects to.
        begin={(url) => {
          const moved = { ...input, urls: [url, ...urls.slice(1)] };
          startFrom(moved);
          look(moved, previewPath);
        }}
        read={(found) => {
          startFrom({ urls: found });
          setKind('batch');
        }}
      />
    </>
  );
}

/** The last response to a look at the site, and the request that it is of. */
interface Shown {
  readonly response: Preview | Mapped;
  readonly input: Input;
}

function StartUrls(props: {
  kind: Kind;
  urls: readonly string[];
  error: string | undefined;
  set: (name: string, value: unknown) => void;
}) {
  const { kind, urls, error, set } = props;
  return (
    <TextField
      id="urls"
      form="lines"
      label={kindNames[kind].urls}
      value={urls}
      error={error}
      isRequired
      placeholder="docs.example.com"
      set={(value) => set('urls', value)}
    >
      <div class="about" id="urls-about">
        {error !== undefined && <p class="bad">{error}</p>}
        <small>{kind === 'map' ? 'One URL.' : 'One a line.'} Without a scheme, https:// is added.</small>
      </div>
    </TextField>
  );
}

/** `options`: of all groups. `isOpen`: the option has to be seen. */
function OptionGroup(props: {
  name: string;
  options: readonly JobOption[];
  isOpen: (option: JobOption) => boolean;
  field: (option: JobOption) => ComponentChildren;
  children: ComponentChildren;
}) {
  const { name: group, isOpen, field, children } = props;
  const options = props.options
    .filter(({ name }) => placeOf(name).group === group)
    .toSorted((one, other) => placeOf(one.name).order - placeOf(other.name).order);
  const others = options.filter(({ name }) => placeOf(name).isFirst !== true);
  return (
    <fieldset class="group">
      <legend>{group}</legend>
      {children}
      <div class="form-grid">{options.filter((option) => !others.includes(option)).map(field)}</div>
      {others.length > 0 && (
        <details class="more-options" open={others.some(isOpen)}>
          <summary>
            More <span class="muted">({others.length})</span>
          </summary>
          <div class="form-grid">{others.map(field)}</div>
        </details>
      )}
    </fieldset>
  );
}

/** Comes into view when it is there. */
function LookResult(props: {
  shown: Shown | undefined;
  isBusy: boolean;
  input: Input;
  begin: (url: string) => void;
  read: (urls: readonly string[]) => void;
}) {
  const { shown, isBusy, input, begin, read } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!shown) return;
    box.current?.scrollIntoView({ block: 'start' });
    box.current?.focus({ preventScroll: true });
  }, [shown]);
  const format = shown?.input['output_format'];
  return (
    <div ref={box} class="preview-place stack gap-18" tabIndex={-1} aria-live="polite" aria-busy={isBusy}>
      {shown && shown.input !== input && <p class="note note-warn">The request has changed since this response.</p>}
      {shown &&
        ('robots' in shown.response ? (
          <PreviewResult
            preview={shown.response}
            format={format === 'html' || format === 'text' ? format : 'markdown'}
            begin={begin}
          />
        ) : (
          <MapResult map={shown.response} read={read} />
        ))}
    </div>
  );
}

/** Headers and cookies of which only the name is there. */
function unanswered(input: Input): (readonly [string, string])[] {
  return ['headers', 'cookies'].flatMap((option) => {
    const given = input[option];
    const empty = hasNames(given) ? Object.entries(given).filter(([, value]) => value === '') : [];
    const names = empty.map(([name]) => name).join(', ');
    return names === '' ? [] : [[option, `Give the value of ${names}, or remove the line.`] as const];
  });
}

function hasNames(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Each error once: at its field, or in the note if the form has no such field. */
function problemsOf(error: Error, names: ReadonlySet<string>): Problems {
  if (!(error instanceof ApiError)) return { fields: new Map(), rest: error };
  const fields = new Map<string, string>();
  for (const { field, message } of error.fields) {
    const [head = ''] = field.split(/[[.]/);
    const name = head === 'url' ? 'urls' : head;
    if (!names.has(name)) return { fields: new Map(), rest: error };
    const text = field === head ? message : `${whereIn(field)}: ${message}`;
    fields.set(name, [fields.get(name), text].filter(Boolean).join(' '));
  }
  return { fields, rest: fields.size === 0 ? error : undefined };
}

/** `urls[2]` is the third line. */
function whereIn(field: string): string {
  const [, index] = /^\w+\[(\d+)\]/.exec(field) ?? [];
  return index === undefined ? field.replace(/^\w+\./, '') : `Line ${Number(index) + 1}`;
}
