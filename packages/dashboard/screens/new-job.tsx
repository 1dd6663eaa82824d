// A new job: a form made from the schema of the request, a preview of it, and the same request in other words.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job, Mapped, Preview } from '../api-types.ts';
import { ApiError, call } from '../api.ts';
import { ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';
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

export function NewJobScreen() {
  const from = search.value.get('from');
  const origin = useLoaded<Origin>(from ?? '', async (signal) =>
    from === null ? { kind: 'crawl', input: {}, headers: [], cookies: [] } : originOf(from, signal),
  );
  useEffect(() => void (document.title = 'New job · hayrake'), []);
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
        <Form key={kind} kind={kind} options={options} input={input} setInput={setInput} setKind={setKind} />
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
  setKind: (kind: Kind) => void;
}) {
  const { kind, options, input, setInput, setKind } = props;
  const [problems, setProblems] = useState(noProblems);
  const [isBusy, setBusy] = useState(false);
  const [filter, setFilter] = useState('');
  /** The last answer that is shown below, and the request that it is of. */
  const [shown, setShown] = useState<{ readonly answer: Preview | Mapped; readonly input: Input }>();
  /** Rises when the start URLs change otherwise than by typing. */
  const [round, setRound] = useState(0);
  const [isLooking, setLooking] = useState(false);
  const looking = useRef<AbortController>(undefined);
  const result = useRef<HTMLDivElement>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => () => looking.current?.abort(), []);
  useEffect(() => {
    if (problems !== noProblems) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);

  const set = (name: string, value: unknown): void => {
    const { [name]: _, ...rest } = input;
    setInput(value === undefined ? rest : { ...rest, [name]: value });
  };
  const names = new Set(['urls', ...options.map(({ name }) => name)]);
  const isComplete = (): boolean => {
    if (form.current?.reportValidity() !== true) return false;
    const missing = unanswered(input).filter(([name]) => names.has(name));
    setProblems(missing.length === 0 ? noProblems : { fields: new Map(missing), rest: undefined });
    return missing.length === 0;
  };
  const body = (given: Input): Input => bodyOf(kind, withoutDefaults(given, options));
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isComplete()) return;
    if (kind === 'map') {
      await look(input, kindPaths.map);
      return;
    }
    setBusy(true);
    try {
      const job = await call<Job>(kindPaths[kind], { method: 'POST', json: body(input) });
      go(`/jobs/${job.id}`);
    } catch (failure) {
      setProblems(problemsOf(failure as Error, names));
    } finally {
      setBusy(false);
    }
  };
  /** Shows an answer below, and brings it into view. */
  const look = async (given: Input, path: string): Promise<void> => {
    looking.current?.abort();
    const abort = new AbortController();
    looking.current = abort;
    setLooking(true);
    setShown(undefined);
    setProblems(noProblems);
    try {
      const answer = await call<Preview | Mapped>(path, { method: 'POST', json: body(given), signal: abort.signal });
      setShown({ answer, input: given });
      requestAnimationFrame(() => {
        result.current?.scrollIntoView({ block: 'start' });
        result.current?.focus({ preventScroll: true });
      });
    } catch (failure) {
      if (!abort.signal.aborted) setProblems(problemsOf(failure as Error, names));
    } finally {
      if (looking.current === abort) setLooking(false);
    }
  };
  const urls = Array.isArray(input['urls']) ? input['urls'].map(String) : [];
  const startFrom = (changed: Input): void => {
    setInput(changed);
    setRound(round + 1);
  };
  const words = filter.toLowerCase();
  const field = (option: JobOption) => (
    <OptionField
      key={option.name}
      option={option}
      value={input[option.name]}
      error={problems.fields.get(option.name)}
      set={(value) => set(option.name, value)}
    />
  );
  const format = shown?.input['output_format'];
  return (
    <>
      <div class="split">
        <form ref={form} class="card form" onSubmit={(event) => void submit(event)}>
          <input
            type="search"
            class="search"
            placeholder="Find an option"
            aria-label="Find an option"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          {groups.map((group) => {
            const all = options
              .filter(({ name }) => placeOf(name).group === group)
              .toSorted((one, other) => placeOf(one.name).order - placeOf(other.name).order);
            const found = all.filter(({ name, about }) =>
              `${name} ${placeOf(name).name} ${about}`.toLowerCase().includes(words),
            );
            const others = found.filter(({ name }) => placeOf(name).isFirst !== true);
            const isOpen =
              words !== '' || others.some(({ name }) => problems.fields.has(name) || hasNames(input[name]));
            return (
              <fieldset key={group} class="group">
                <legend>{group}</legend>
                {group === 'What' && (
                  <Lines
                    // The field keeps its text as typed, so other URLs are another field.
                    key={round}
                    id="urls"
                    label={kind === 'crawl' ? 'Start URLs' : kind === 'map' ? 'Start URL' : 'URLs'}
                    value={urls}
                    error={problems.fields.get('urls')}
                    isRequired
                    placeholder="docs.example.com"
                    set={(value) => set('urls', value)}
                  >
                    <div class="about" id="urls-about">
                      {problems.fields.has('urls') && <p class="bad">{problems.fields.get('urls')}</p>}
                      <small>{kind === 'map' ? 'One URL.' : 'One a line.'} Without a scheme, https:// is added.</small>
                    </div>
                  </Lines>
                )}
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
          })}
          {problems.rest && <ErrorNote error={problems.rest} />}
          <div class="actions form-end">
            <button type="submit" class="button button-primary" disabled={isBusy || (kind === 'map' && isLooking)}>
              {kind === 'map' && isLooking ? 'Looking at the site …' : kindNames[kind][1]}
            </button>
            {kind === 'crawl' && (
              <>
                <button
                  type="button"
                  class="button"
                  disabled={isLooking}
                  aria-describedby="preview-about"
                  onClick={() => {
                    if (isComplete()) void look(input, '/crawler/jobs/preview');
                  }}
                >
                  {isLooking ? 'Looking at the site …' : 'Preview'}
                </button>
                <small id="preview-about" class="muted">
                  Reads robots.txt, the first page and a sitemap. Stores nothing.
                </small>
              </>
            )}
          </div>
        </form>
        <aside class="card aside" aria-label="The same request">
          <h2>The same request</h2>
          <RequestCode kind={kind} input={{ ...input, urls: urls.length > 0 ? urls : ['docs.example.com'] }} />
        </aside>
      </div>
      <div ref={result} class="preview-place" tabIndex={-1} aria-live="polite" aria-busy={isLooking}>
        {shown && shown.input !== input && <p class="note note-warn">The request has changed since this answer.</p>}
        {shown && 'robots' in shown.answer && (
          <PreviewResult
            preview={shown.answer}
            format={format === 'html' || format === 'text' ? format : 'markdown'}
            // Goes to the page that the start URL redirects to.
            begin={(url) => {
              const moved = { ...input, urls: [url, ...urls.slice(1)] };
              startFrom(moved);
              void look(moved, '/crawler/jobs/preview');
            }}
          />
        )}
        {shown && !('robots' in shown.answer) && (
          <MapResult
            map={shown.answer}
            read={(found) => {
              startFrom({ urls: found });
              setKind('batch');
            }}
          />
        )}
      </div>
    </>
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
