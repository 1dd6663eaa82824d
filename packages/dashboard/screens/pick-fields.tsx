// A click on a value of a page becomes a field of `extract`: where it stands, its name and type, and what it gives on other
// pages.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Job, List, PageResult } from '../api-types.ts';
import { call, query } from '../api.ts';
import { shortUrl } from '../format.ts';
import { inertHtml } from '../inert-html.ts';
import { Code, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useAction, useLoaded } from '../parts/hooks.ts';
import { extractOf, nameProblem, type PickedField } from '../pick/fields-of.ts';
import { type ScrapedPage, scrape, sourceOf } from '../pick/page-source.ts';
import { oneLine, shownText } from '../pick/page-text.ts';
import {
  blocksAround,
  type FieldType,
  listPlacesOf,
  nameOf,
  type Place,
  placesOf,
  type Proposal,
  typeOf,
} from '../pick/places.ts';
import { plainHtml } from '../pick/plain-html.ts';
import { shownPage } from '../pick/shown-page.ts';
import { problemsOf } from './extracted-record.tsx';
import { RecordTable } from './records.tsx';

/** A field, and the element that was clicked for it. */
export interface Picked extends PickedField {
  readonly element: Element;
  readonly url: string;
}

interface Props {
  readonly job: Job;
  readonly page: PageResult;
  /** They stay while other pages of the job are opened. */
  readonly picked: readonly Picked[];
  readonly setPicked: (picked: readonly Picked[]) => void;
}

export function PickFields({ job, page, picked, setPicked }: Props) {
  const { url, page: number } = page.meta;
  const { value, error, reload } = useLoaded(`source ${job.id} ${number}`, async (signal) => {
    const { html, isNew } = await sourceOf(job, page, signal);
    const { html: plain, isCut } = plainHtml(html);
    return { source: inertHtml.parsedPage(plain), isNew, isEmpty: html === '', isCut };
  });
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={8} />;
  if (value.isEmpty) return <p class="note">This page is a file, so it has no elements to click on.</p>;
  const pick = (element: Element): void => setPicked([...picked, fieldFor(element, url, picked)]);
  const set = (field: Picked): void => setPicked(picked.map((each) => (each.key === field.key ? field : each)));
  const remove = (field: Picked): void => setPicked(picked.filter((each) => each !== field));
  return (
    <div class="pick">
      <ClickedPage source={value.source} isCut={value.isCut} picked={picked} pick={pick} />
      <section class="pick-fields" aria-label="Fields">
        {value.isNew && (
          <p class="muted">
            The page was requested once more, since this job keeps no HTML (<code>store_raw</code>).
          </p>
        )}
        {picked.length === 0 && <p class="note">Click a value on the page, such as a price.</p>}
        {picked.map((field) => (
          <FieldForm
            key={field.key}
            field={field}
            problem={problemOf(field, picked)}
            set={set}
            remove={() => remove(field)}
          />
        ))}
        {picked.length > 0 && <Outcome job={job} page={page} picked={picked} />}
      </section>
    </div>
  );
}

function problemOf(field: Picked, picked: readonly Picked[]): string | undefined {
  const others = picked.filter((each) => each !== field && each.block === field.block);
  return nameProblem(
    field.name,
    others.map(({ name }) => name),
  );
}

let keys = 0;

function fieldFor(element: Element, url: string, picked: readonly Picked[]): Picked {
  // A value in a block that is in use belongs to the records of these blocks.
  const block = picked.map((field) => field.block).find((css) => css !== undefined && element.closest(css) !== null);
  const [first] = proposalsFor(element, { url, isList: false, block });
  const text = first?.text ?? shownText(element);
  const type = typeOf(text, element);
  const place = first?.place ?? {};
  const taken = picked.filter((field) => field.block === block).map(({ name }) => name);
  return {
    key: ++keys,
    element,
    url,
    block,
    place,
    type,
    name: nameOf(element, { place, type, taken }),
    isList: false,
  };
}

function proposalsFor(
  element: Element,
  { url, isList, block }: Pick<Picked, 'url' | 'isList' | 'block'>,
): readonly Proposal[] {
  const scope = (block === undefined ? null : element.closest(block)) ?? element.ownerDocument;
  return isList ? listPlacesOf(element, scope, url) : placesOf(element, scope, url);
}

interface ClickedProps {
  readonly source: Document;
  /** Only its beginning was parsed. */
  readonly isCut: boolean;
  readonly picked: readonly Picked[];
  readonly pick: (element: Element) => void;
}

/** Words of a page that a keyboard goes through. */
const stopsMax = 5_000;

function ClickedPage({ source, isCut, picked, pick }: ClickedProps) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => shownPage(source), [source]);
  const [at, setAt] = useState<Element>();
  useEffect(() => {
    box.current?.replaceChildren(shown.content);
    setAt(undefined);
  }, [shown]);
  useEffect(() => {
    at?.classList.add('pick-at');
    return () => at?.classList.remove('pick-at');
  }, [at]);
  useEffect(() => {
    const marked = picked
      .flatMap((field) => elementsOf(field, source))
      .map((element) => shown.shownOf(element))
      .filter((element) => element !== undefined);
    for (const element of marked) element.classList.add('pick-taken');
    return () => {
      for (const element of marked) element.classList.remove('pick-taken');
    };
  }, [picked, shown]);
  const under = (target: EventTarget | null): Element | undefined =>
    target instanceof Element && target !== box.current && shown.sourceOf(target) ? target : undefined;
  const take = (element: Element | undefined): void => {
    const of = element && shown.sourceOf(element);
    if (of && (of.localName === 'img' || shownText(of) !== '')) pick(of);
  };
  const move = (by: number): void => {
    const stops = [...(box.current?.querySelectorAll('*') ?? [])]
      .filter((element) =>
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.nodeValue ?? '')),
      )
      .slice(0, stopsMax);
    const next = stops[Math.min(stops.length - 1, Math.max(0, (at ? stops.indexOf(at) : -1) + by))];
    next?.scrollIntoView({ block: 'nearest' });
    setAt(next);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => take(at),
  };
  return (
    <div class="pick-side">
      {(isCut || shown.isCut) && <p class="note note-warn">This page is long: only its beginning is shown.</p>}
      <div
        ref={box}
        class="pick-page"
        tabIndex={0}
        role="group"
        aria-label="The page. Click a value; or go there with the arrow keys, and press Enter."
        dir="auto"
        onPointerOver={({ target }) => setAt(under(target))}
        onPointerLeave={() => setAt(undefined)}
        onClick={({ target }) => take(under(target))}
        onKeyDown={(event) => {
          const run = keys[event.key];
          if (!run) return;
          event.preventDefault();
          event.stopPropagation();
          run();
        }}
      />
    </div>
  );
}

function elementsOf({ element, place: { css }, isList, block }: Picked, source: Document): readonly Element[] {
  if (element.ownerDocument !== source) return [];
  if (css === undefined || (!isList && block === undefined)) return [element];
  const scopes = block === undefined ? [source] : [...source.querySelectorAll(block)].slice(0, 200);
  return scopes.flatMap((scope) => [...scope.querySelectorAll(css)].slice(0, isList ? 200 : 1));
}

const typeNames: Readonly<Record<FieldType, string>> = {
  text: 'Text',
  markdown: 'Markdown',
  number: 'Number',
  integer: 'Whole number',
  date: 'Date',
  url: 'Address',
  price: 'Price',
};

function FieldForm(props: {
  field: Picked;
  /** What is wrong with its name. */
  problem: string | undefined;
  set: (field: Picked) => void;
  remove: () => void;
}) {
  const { field, problem, set, remove } = props;
  const { key, element, url, name, type, place, isList, block } = field;
  const proposals = useMemo(() => proposalsFor(element, { url, isList, block }), [element, url, isList, block]);
  const takes = useMemo(() => waysToTake(element, url, block), [element, url, block]);
  const chosen = Math.max(
    0,
    proposals.findIndex((each) => placeName(each.place) === placeName(place)),
  );
  const take = (how: Pick<Picked, 'isList' | 'block'>): void => {
    const [first] = proposalsFor(element, { url, ...how });
    if (first) set({ ...field, ...how, place: first.place });
  };
  const wider = element.parentElement;
  return (
    <fieldset class="pick-field">
      <legend class="visually-hidden">Field {name}</legend>
      <div class="pick-row">
        <label class="field-inline">
          <span>Name</span>
          <input
            value={name}
            aria-invalid={problem !== undefined}
            aria-describedby={`pick-problem-${key}`}
            onInput={(event) => set({ ...field, name: event.currentTarget.value })}
          />
        </label>
        <Choice
          label="Type"
          value={type}
          options={Object.entries(typeNames)}
          set={(each) => set({ ...field, type: each as FieldType })}
        />
      </div>
      <p id={`pick-problem-${key}`} class="bad" hidden={problem === undefined}>
        {problem}
      </p>
      <Choice
        label="Place"
        value={String(chosen)}
        options={proposals.map((each, index) => [
          String(index),
          placeName(each.place) + (each.matches > 1 ? ` (${isList ? '' : 'first of '}${each.matches})` : ''),
        ])}
        set={(index) => set({ ...field, place: proposals[Number(index)]?.place ?? place })}
      />
      {takes.length > 1 && (
        <Choice
          label="Take"
          value={block ?? (isList ? all : '')}
          options={takes}
          set={(how) => take({ isList: how === all, block: how === '' || how === all ? undefined : how })}
        />
      )}
      <p class="note" dir="auto">
        {short(proposals[chosen]?.text ?? '')}
      </p>
      <div class="actions">
        {wider && wider.localName !== 'html' && (
          <button
            type="button"
            class="button button-small"
            title="Takes the element around this one"
            onClick={() => set({ ...fieldFor(wider, url, []), key, name, block: undefined })}
          >
            Wider
          </button>
        )}
        <button type="button" class="button button-small" onClick={remove}>
          Remove
        </button>
      </div>
    </fieldset>
  );
}

/** No selector. */
const all = '*all';

type Options = readonly (readonly [value: string, name: string])[];

function waysToTake(element: Element, url: string, own: string | undefined): Options {
  const [list] = listPlacesOf(element, element.ownerDocument, url);
  const blocks = blocksAround(element, url).map(({ css, count }) => [css, `one in each of ${count} ${css}`] as const);
  return [
    ['', 'one value a page'],
    ...(list ? [[all, `all values like this (${list.matches})`] as const] : []),
    ...blocks,
    // The field was picked on another page, or joined the blocks of others.
    ...(own === undefined || blocks.some(([css]) => css === own) ? [] : [[own, `one in each ${own}`] as const]),
  ];
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: Options;
  readonly set: (value: string) => void;
}

function Choice({ label, value, options, set }: ChoiceProps) {
  return (
    <label class="field-inline">
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function placeName({ css, label }: Place): string {
  return label === undefined ? (css ?? '') : `beside “${label}”`;
}

function short(text: string): string {
  const line = oneLine(text);
  return line.length > 160 ? `${line.slice(0, 160)} …` : line;
}

const othersMax = 3;
const nearby = 25;

function Outcome({ job, page, picked }: Pick<Props, 'job' | 'page' | 'picked'>) {
  const extract = useMemo(() => extractOf(picked), [picked]);
  const text = JSON.stringify(extract, null, 2);
  const [result, setResult] = useState<{
    readonly of: string;
    readonly pages: readonly ScrapedPage[];
  }>();
  const { isBusy, error, run } = useAction();
  const isWrong = picked.some((field) => problemOf(field, picked) !== undefined);
  const attempt = async (signal: AbortSignal): Promise<void> => {
    const pages: ScrapedPage[] = [];
    setResult({ of: text, pages });
    for (const { url, isRendered } of [asked(page), ...(await pagesLike(job, page, signal))]) {
      pages.push(await scrape(job, { url, extract, use_browser: isRendered }, signal));
      setResult({ of: text, pages: [...pages] });
    }
  };
  return (
    <>
      <div class="actions">
        <button type="button" class="button" disabled={isBusy || isWrong} onClick={() => void run(attempt)}>
          {isBusy ? 'Reading …' : 'Try it'}
        </button>
        <small class="muted">Requests this page and up to {othersMax} of the job like it.</small>
      </div>
      <div aria-live="polite" aria-busy={isBusy}>
        {result && result.of !== text && <p class="note note-warn">The fields have changed since.</p>}
        {result && result.pages.length > 0 && (
          <RecordTable
            label="Values on pages"
            rows={result.pages.map(({ url, extracted, meta }) => ({
              page: shortUrl(url),
              extracted,
              problems: problemsOf(meta),
            }))}
          />
        )}
        {error && <ErrorNote error={error} />}
      </div>
      <Code text={text} label="The option extract" />
      {!isWrong && (
        <p>
          <a
            class="button button-primary"
            href={`/new?from=${job.id}#extract=${encodeURIComponent(JSON.stringify(extract))}`}
          >
            New job with these fields
          </a>
        </p>
      )}
    </>
  );
}

function asked({ meta: { url, meta } }: Pick<PageResult, 'meta'>): {
  readonly url: string;
  readonly isRendered: boolean;
} {
  return { url, isRendered: meta.rendered === true };
}

/** Pages near this one whose paths have its first part, and as many. */
async function pagesLike(
  job: Job,
  page: PageResult,
  signal: AbortSignal,
): Promise<readonly ReturnType<typeof asked>[]> {
  const { data } = await call<List<PageResult>>(
    `/crawler/jobs/${job.id}/meta${query({ after: Math.max(0, page.meta.page - nearby - 1), limit: 2 * nearby, fields: 'title,rendered', wait: 0 })}`,
    { signal },
  );
  const own = shapeOf(page.meta.url);
  return data
    .filter(({ meta: { page: number, url } }) => number !== page.meta.page && shapeOf(url) === own)
    .slice(0, othersMax)
    .map(asked);
}

/** The site, the number of parts of the path, and the first of several. */
function shapeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split('/').filter(Boolean);
  return [origin, parts.length, parts.length > 1 && parts[0]].join();
}
