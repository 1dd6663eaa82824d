// Why a URL is not among the pages: one URL explained, or all of them by outcome and reason.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasEnded, type Job, type UrlList, type UrlRow } from '../api-types.ts';
import { call, query } from '../api.ts';
import { count, plural, shortCount, words } from '../format.ts';
import { Empty, ErrorNote, OutLink, SearchInput, Skeleton } from '../parts/basics.tsx';
import { useAction, useLoaded, useSettled } from '../parts/hooks.ts';
import { Time } from '../parts/time.tsx';
import { search, setSearch } from '../router.ts';

const statuses = ['queued', 'inFlight', 'scraped', 'discarded', 'failed', 'outside'] as const;
const perLoad = 100;

export function WhyNot({ job }: { job: Job }) {
  return (
    <div class="why">
      <Explain job={job} />
      <Ledger job={job} />
    </div>
  );
}

function Explain({ job }: { job: Job }) {
  const asked = search.value.get('url') ?? '';
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  return (
    <section class="card explain">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setSearch({ url: text.trim() }, { replace: false });
        }}
      >
        <label class="field">
          <span>Why is a URL missing?</span>
          <span class="field-row">
            <input
              type="text"
              inputMode="url"
              value={text}
              placeholder={job.urls[0] ?? 'https://example.com/page'}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <button type="submit" class="button button-primary">
              Explain
            </button>
          </span>
        </label>
      </form>
      {asked !== '' && <Explanation key={asked} job={job} url={asked} />}
    </section>
  );
}

function Explanation({ job, url }: { job: Job; url: string }) {
  const { value, error, reload } = useLoaded(`${job.id} ${url} ${job.status}`, (signal) =>
    call<UrlList>(`/crawler/jobs/${job.id}/urls${query({ url })}`, { signal }),
  );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={3} />;
  const [row] = value.data;
  return (
    <div class="explanation" role="status">
      {row && <Outcome row={row} />}
      {value.explanation?.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {row?.page !== undefined && (
        <p>
          <a href={`/jobs/${job.id}/pages?page=${row.page}`}>Read page {count(row.page)}</a>
        </p>
      )}
    </div>
  );
}

function Outcome({ row: { status, reason } }: { row: UrlRow }) {
  return (
    <span class={`outcome outcome-${status}`}>
      {words(status === 'inFlight' ? 'in flight' : status)}
      {reason !== undefined && <b> {words(reason)}</b>}
    </span>
  );
}

function Ledger({ job }: { job: Job }) {
  const parameters = search.value;
  const status = parameters.get('status') ?? '';
  const reason = parameters.get('reason') ?? '';
  const q = parameters.get('q') ?? '';
  const foundOn = parameters.get('found_on') ?? '';
  const [text, setText] = useState(q);
  const settled = useSettled(text, 300);
  useEffect(() => setSearch({ q: settled }), [settled]);
  const reasons = Object.entries(job.reasons).toSorted(([, one], [, other]) => other - one);
  const filter = { status, reason, q, found_on: foundOn };
  return (
    <section class="ledger">
      <div class="filters">
        <div class="chips" role="group" aria-label="Outcome">
          <FilterChip name="All" field="status" value="" current={status} total={job.progress.discovered} />
          {statuses.map((each) => (
            <FilterChip
              key={each}
              name={each === 'inFlight' ? 'in flight' : each}
              field="status"
              value={each}
              current={status}
              total={job.progress[each]}
            />
          ))}
        </div>
        <SearchInput label="Filter by URL" value={text} set={setText} />
      </div>
      {reasons.length > 0 && (
        <div class="chips chips-reasons" role="group" aria-label="Reason">
          {reasons.map(([each, total]) => (
            <FilterChip key={each} name={words(each)} field="reason" value={each} current={reason} total={total} />
          ))}
        </div>
      )}
      {foundOn !== '' && (
        <p class="note">
          Found on {foundOn}{' '}
          <button type="button" class="button button-small" onClick={() => setSearch({ found_on: undefined })}>
            Show all
          </button>
        </p>
      )}
      <Rows key={JSON.stringify(filter)} job={job} filter={filter} />
    </section>
  );
}

function FilterChip(props: {
  name: string;
  field: 'status' | 'reason';
  value: string;
  current: string;
  total: number;
}) {
  const isOn = props.current === props.value;
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isOn}
      onClick={() => setSearch({ [props.field]: isOn ? undefined : props.value }, { replace: false })}
    >
      <span class="words">{props.name}</span>
      <span class="chip-count">{shortCount(props.total)}</span>
    </button>
  );
}

type Filter = Readonly<Record<'status' | 'reason' | 'q' | 'found_on', string>>;

/** The ledger has no numbers to jump to: it is read on by its cursor, and never whole. */
function Rows({ job, filter }: { job: Job; filter: Filter }) {
  const [rows, setRows] = useState<readonly UrlRow[]>([]);
  const [cursor, setCursor] = useState<string>();
  const [state, setState] = useState<'loading' | 'more' | 'end'>('loading');
  const { error, run } = useAction();
  const end = useRef<HTMLDivElement>(null);

  const load = (from: string | undefined): Promise<void> =>
    run(async (signal) => {
      setState('loading');
      const list = await call<UrlList>(
        `/crawler/jobs/${job.id}/urls${query({ ...filter, limit: perLoad, cursor: from, wait: 0 })}`,
        { signal },
      );
      setRows((last) => [...last, ...list.data]);
      setCursor(list.cursor);
      // A running job always has a cursor.
      setState(
        list.cursor === undefined || (list.data.length === 0 && !hasEnded(job) && !isScanned(filter)) ? 'end' : 'more',
      );
    });
  useEffect(() => void load(undefined), []);
  useEffect(() => {
    const at = end.current;
    if (!at || state !== 'more') return undefined;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void load(cursor);
      },
      { rootMargin: '400px' },
    );
    watch.observe(at);
    return () => watch.disconnect();
  }, [state, cursor]);

  if (rows.length === 0 && state === 'end')
    return (
      <Empty title="No URL matches">
        <p>Choose another outcome or reason, or clear the filter.</p>
      </Empty>
    );
  return (
    <>
      <ul class="urls">
        {rows.map((row, index) => (
          <UrlLine key={index} job={job} row={row} />
        ))}
      </ul>
      {error && <ErrorNote error={error} retry={() => void load(cursor)} />}
      {state === 'loading' && !error && <Skeleton lines={rows.length === 0 ? 8 : 2} />}
      <div ref={end} class="list-end muted">
        {state === 'end' && rows.length > 0 && plural(rows.length, 'URL')}
      </div>
    </>
  );
}

/** These filters look at a part of the ledger per request, and can find nothing in it. */
function isScanned({ q, found_on: foundOn }: Filter): boolean {
  return q !== '' || foundOn !== '';
}

function UrlLine({ job, row }: { job: Job; row: UrlRow }) {
  const { url, detail, depth, attempts, attemptedAt, statusCode, page, foundOn, foundBy } = row;
  return (
    <li>
      <details>
        <summary>
          <Outcome row={row} />
          <span class="url">{url}</span>
        </summary>
        <dl class="facts">
          {detail !== undefined && <Fact name="Detail" value={detail} />}
          {statusCode !== undefined && <Fact name="HTTP status" value={String(statusCode)} />}
          <Fact name="Links from a start URL" value={count(depth)} />
          <Fact name="Attempts" value={count(attempts)} />
          {attemptedAt !== undefined && <Fact name="Last attempt" value={<Time at={attemptedAt} />} />}
          {foundOn !== undefined && <Fact name="First found on" value={foundOn} />}
          {foundBy === 'script' && <Fact name="Found by" value="scripts" />}
        </dl>
        <p class="actions">
          {page !== undefined && (
            <a class="button button-small" href={`/jobs/${job.id}/pages?page=${page}`}>
              Read page {count(page)}
            </a>
          )}
          <a class="button button-small" href={`/jobs/${job.id}/urls${query({ url })}`}>
            Explain
          </a>
          {foundOn !== undefined && (
            <a class="button button-small" href={`/jobs/${job.id}/urls${query({ found_on: foundOn })}`}>
              Others found there
            </a>
          )}
          <OutLink url={url}>Open the site</OutLink>
        </p>
      </details>
    </li>
  );
}

function Fact({ name, value }: { name: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
