// Why a URL is not among the pages: one URL explained, or all of them by outcome and reason.
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasEnded, type Job, type UrlList, type UrlRow } from '../api-types.ts';
import { call, query } from '../api.ts';
import { count, plural, sortedReasons, words } from '../format.ts';
import { Empty, ErrorNote, Facts, OutLink, Skeleton } from '../parts/basics.tsx';
import { Button, LinkButton } from '../parts/button.tsx';
import { Chips, SearchInput } from '../parts/controls.tsx';
import { useAction, useSearchText } from '../parts/hooks.ts';
import { useGet } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import { search, setSearch } from '../router.ts';

const statuses = ['queued', 'inFlight', 'scraped', 'discarded', 'failed', 'outside'] as const;
const statusNames: Readonly<Record<string, string>> = { inFlight: 'in flight' };
const perLoad = 100;

export function WhyNot({ job }: { job: Job }) {
  return (
    <div class="stack gap-22">
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
          setSearch({ url: wholeUrl(text.trim(), job) }, { replace: false });
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
            <Button type="submit" kind="primary" label="Explain" />
          </span>
        </label>
      </form>
      {asked !== '' && <Explanation key={asked} job={job} url={asked} />}
    </section>
  );
}

/** A path alone is one of the site. */
function wholeUrl(text: string, { urls: [site = ''] }: Job): string {
  return text.startsWith('/') && URL.canParse(text, site) ? new URL(text, site).href : text;
}

function Explanation({ job, url }: { job: Job; url: string }) {
  const path = `/crawler/jobs/${job.id}/urls${query({ url })}`;
  const { value, notice } = useGet<UrlList>(path, { key: job.status, lines: 3 });
  if (notice || !value) return notice;
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
    <span class={`outcome outcome-${status} clip`}>
      {statusNames[status] ?? status}
      {reason !== undefined && <b> {words(reason)}</b>}
    </span>
  );
}

function Ledger({ job }: { job: Job }) {
  const of = (name: keyof Filter): string => search.value.get(name) ?? '';
  const filter: Filter = { status: of('status'), reason: of('reason'), q: of('q'), found_on: of('found_on') };
  const [text, setText] = useSearchText('q', 300);
  const choose = (field: 'status' | 'reason') => (value: string, wasOn: boolean) =>
    setSearch({ [field]: wasOn ? undefined : value }, { replace: false });
  const { reasons, progress } = job;
  const outcomes = statuses.map((each) => [each, statusNames[each] ?? each, progress[each]] as const);
  return (
    <section class="stack">
      <div class="filters">
        <Chips
          words
          label="Outcome"
          choices={[['', 'All', progress.discovered], ...outcomes]}
          chosen={filter.status}
          choose={choose('status')}
        />
        <SearchInput label="Filter by URL" value={text} set={setText} />
      </div>
      {Object.keys(reasons).length > 0 && (
        <Chips
          words
          class="chips-reasons"
          label="Reason"
          choices={sortedReasons(reasons).map(([each, total]) => [each, words(each), total] as const)}
          chosen={filter.reason}
          choose={choose('reason')}
        />
      )}
      {filter.found_on !== '' && (
        <p class="note">
          Found on {filter.found_on}{' '}
          <Button kind="small" label="Show all" click={() => setSearch({ found_on: undefined })} />
        </p>
      )}
      <Rows key={JSON.stringify(filter)} job={job} filter={filter} />
    </section>
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
    return <Empty title="No URL matches" text="Choose another outcome or reason, or clear the filter." />;
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
  const path = `/jobs/${job.id}/urls`;
  return (
    <li>
      <details>
        <summary>
          <Outcome row={row} />
          <span class="url clip">{url}</span>
        </summary>
        <Facts
          of={[
            detail !== undefined && ['Detail', detail],
            statusCode !== undefined && ['HTTP status', statusCode],
            ['Links from a start URL', count(depth)],
            ['Attempts', count(attempts)],
            attemptedAt !== undefined && ['Last attempt', <Time at={attemptedAt} />],
            foundOn !== undefined && ['First found on', foundOn],
            foundBy === 'script' && ['Found by', 'scripts'],
          ]}
        />
        <p class="row">
          {page !== undefined && (
            <LinkButton kind="small" label={`Read page ${count(page)}`} href={`/jobs/${job.id}/pages?page=${page}`} />
          )}
          <LinkButton kind="small" label="Explain" href={`${path}${query({ url })}`} />
          {foundOn !== undefined && (
            <LinkButton kind="small" label="Others found there" href={`${path}${query({ found_on: foundOn })}`} />
          )}
          <OutLink url={url}>Open the site</OutLink>
        </p>
      </details>
    </li>
  );
}
