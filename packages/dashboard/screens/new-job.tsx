// A new job: a form made from the schema of the request, a preview of it, and the same request in other words.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job, Mapped, Preview } from '../api-types.ts';
import { ApiError, call } from '../api.ts';
import { ErrorNote, SearchInput, Skeleton } from '../parts/basics.tsx';
import { useAction, useLoaded, useTitle } from '../parts/hooks.ts';
import { Lines, OptionField } from '../parts/option-field.tsx';
import { RequestCode } from '../parts/request-code.tsx';
import { groups, placeOf } from '../option-names.ts';
import { bodyOf, type Input, type Kind, kindPaths, kinds, type Origin, originOf } from '../request.ts';
import { withoutDefaults } from '../request-text.ts';
import { fragment, go, search } from '../router.ts';
import { type JobOption, optionsOf } from '../schema.ts';
import { MapResult } from './map-result.tsx';
import { PreviewResult } from './preview.tsx';

const kindNames: Readonly<Record<Kind, readonly [name: string, button: string]>> = {
  crawl: ['Follow the links of a site', 'Start the crawl'],
  batch: ['Only these pages', 'Read these pages'],
  map: ['List the URLs of a site', 'List the URLs'],
};

const previewPath = '/crawler/jobs/preview';
const lookingText = 'Looking at the site …';

export function NewJobScreen() {
  const from = search.value.get('from');
  const origin = useLoaded<Origin>(from ?? '', async (signal) =>
    from === null ? { kind: 'crawl', input: {}, headers: [], cookies: [] } : originOf(from, signal),
  );
  useTitle('New job');
  const extract = fragment.value.get('extract');
  const { value, error, reload } = origin;
  return (
    <div class="page">
      <p class="crumbs">
        <a href="/">Jobs</a> <span aria-hidden="true">/</span> New
      </p>
      <h1>New job</h1>
      {error && <ErrorNote error={error} retry={reload} />}
      {value ? (
        <KindForm key={`${from} ${extract}`} origin={withExtract(value, extract)} />
      ) : (
        !error && <Skeleton lines={10} />
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
  const { value: options, error, reload } = useLoaded(`options ${kind}`, () => optionsOf(kind));
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
      <div class="chips" role="group" aria-label="What to do">
        {kinds.map((each) => (
          <button key={each} type="button" class="chip" aria-pressed={each === kind} onClick={() => setKind(each)}>
            {kindNames[each][0]}
          </button>
        ))}
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      {options ? (
        <Form key={kind} {...{ kind, options, input, setInput, set, setKind }} />
      ) : (
        !error && <Skeleton lines={10} />
      )}
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
      setShown({ answer: await post(path, given, signal), input: given });
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
  return (
    <>
      <div class="split">
        <form ref={form} class="card form" onSubmit={submit}>
          <SearchInput label="Find an option" value={filter} set={setFilter} />
          {groups.map((group) => (
            <OptionGroup
              key={group}
              options={options.filter(({ name }) => placeOf(name).group === group)}
              {...{ group, input, set, problems }}
              words={filter.toLowerCase()}
            >
              {group === 'What' && (
                // The field keeps its text as typed, so other URLs are another field.
                <StartUrls key={round} {...{ kind, urls, set }} error={problems.fields.get('urls')} />
              )}
            </OptionGroup>
          ))}
          {problems.rest && <ErrorNote error={problems.rest} />}
          <div class="actions form-end">
            <button type="submit" class="button button-primary" disabled={creating.isBusy || (isMap && looking.isBusy)}>
              {isMap && looking.isBusy ? lookingText : kindNames[kind][1]}
            </button>
            {kind === 'crawl' && (
              <PreviewButton isBusy={looking.isBusy} click={() => isComplete() && look(input, previewPath)} />
            )}
          </div>
        </form>
        <aside class="card aside" aria-label="The same request">
          <h2>The same request</h2>
          <RequestCode kind={kind} input={{ ...input, urls: urls.length > 0 ? urls : ['docs.example.com'] }} />
        </aside>
      </div>
      <Answer
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

/** The last answer to a look at the site, and the request that it is of. */
interface Shown {
  readonly answer: Preview | Mapped;
  readonly input: Input;
}

function PreviewButton({ isBusy, click }: { isBusy: boolean; click: () => void }) {
  return (
    <>
      <button type="button" class="button" disabled={isBusy} aria-describedby="preview-about" onClick={click}>
        {isBusy ? lookingText : 'Preview'}
      </button>
      <small id="preview-about" class="muted">
        Reads robots.txt, the first page and a sitemap. Stores nothing.
      </small>
    </>
  );
}

function StartUrls(props: {
  kind: Kind;
  urls: readonly string[];
  error: string | undefined;
  set: (name: string, value: unknown) => void;
}) {
  const { kind, urls, error, set } = props;
  return (
    <Lines
      id="urls"
      label={kind === 'crawl' ? 'Start URLs' : kind === 'map' ? 'Start URL' : 'URLs'}
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
    </Lines>
  );
}

/** `words`: shows only the options that have them. */
function OptionGroup(props: {
  group: string;
  options: readonly JobOption[];
  input: Input;
  problems: Problems;
  words: string;
  set: (name: string, value: unknown) => void;
  children: ComponentChildren;
}) {
  const { group, options, input, problems, words, set, children } = props;
  const found = options
    .filter(({ name, about }) => `${name} ${placeOf(name).name} ${about}`.toLowerCase().includes(words))
    .toSorted((one, other) => placeOf(one.name).order - placeOf(other.name).order);
  const others = found.filter(({ name }) => placeOf(name).isFirst !== true);
  const isOpen = words !== '' || others.some(({ name }) => problems.fields.has(name) || hasNames(input[name]));
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
    <fieldset class="group">
      <legend>{group}</legend>
      {children}
      <div class="form-grid">{found.filter(({ name }) => placeOf(name).isFirst).map(field)}</div>
      {others.length > 0 && (
        <details class="more-options" open={isOpen}>
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
function Answer(props: {
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
    <div ref={box} class="preview-place" tabIndex={-1} aria-live="polite" aria-busy={isBusy}>
      {shown && shown.input !== input && <p class="note note-warn">The request has changed since this answer.</p>}
      {shown &&
        ('robots' in shown.answer ? (
          <PreviewResult
            preview={shown.answer}
            format={format === 'html' || format === 'text' ? format : 'markdown'}
            begin={begin}
          />
        ) : (
          <MapResult map={shown.answer} read={read} />
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
