// Search in the text of a job's pages.
import { useEffect, useState } from 'preact/hooks';
import { hasEnded, type Job, type SearchResults } from '../api-types.ts';
import { call, query } from '../api.ts';
import { count, pathOf, plural } from '../format.ts';
import { Empty, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useInterval, useLoaded, useSettled } from '../parts/hooks.ts';
import { search, setSearch } from '../router.ts';

const queryLengthMax = 500;
const perLoad = 50;
/** How soon a search is repeated while pages are being indexed. */
const indexingMs = 2_000;

export function SearchPages({ job }: { job: Job }) {
  const q = search.value.get('q') ?? '';
  const [text, setText] = useState(q);
  const settled = useSettled(text, 250);
  useEffect(() => setSearch({ q: settled.trim() }), [settled]);
  return (
    <section class="search-pages">
      <input
        type="search"
        class="search search-large"
        placeholder={'Words, or a "phrase in quotes"'}
        aria-label="Search the pages"
        maxLength={queryLengthMax}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {q === '' ? (
        <Empty title="Search the text of this job">
          <p>
            A page must have all of the words, in any order. The last word also finds longer ones. Quotes keep a phrase
            together. The first search builds the index.
          </p>
        </Empty>
      ) : (
        <Results key={q} job={job} q={q} />
      )}
    </section>
  );
}

function Results({ job, q }: { job: Job; q: string }) {
  const url = (cursor?: string): string => `/crawler/jobs/${job.id}/search${query({ q, limit: perLoad, cursor })}`;
  const { value, error, reload } = useLoaded(`${job.id} ${q}`, (signal) => call<SearchResults>(url(), { signal }));
  const [more, setMore] = useState<SearchResults>();
  const isIndexing = value !== undefined && value.indexedPages < value.pages && more === undefined;
  useInterval(reload, isIndexing ? indexingMs : 0);
  const hits = [...(value?.data ?? []), ...(more?.data ?? [])];
  const cursor = more ? more.cursor : value?.cursor;
  const next = async (): Promise<void> => {
    const list = await call<SearchResults>(url(cursor));
    setMore({ ...list, data: [...(more?.data ?? []), ...list.data] });
  };
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={6} />;
  return (
    <>
      <p class="muted" role="status">
        {hits.length === 0 ? 'No page matches' : cursor === undefined ? plural(hits.length, 'hit') : 'The best hits'}
        {' among '}
        {value.indexedPages < value.pages
          ? `${count(value.indexedPages)} of ${count(value.pages)} pages: the others are being indexed`
          : `${plural(value.pages, 'page')}${hasEnded(job) ? '' : ' so far'}`}
      </p>
      <ol class="hits">
        {hits.map((hit) => (
          <li key={hit.page}>
            <a href={`/jobs/${job.id}/pages?page=${hit.page}`}>{hit.title === '' ? pathOf(hit.url) : hit.title}</a>
            <span class="hit-url">{hit.url}</span>
            <p>
              {hit.snippetParts.map((part, index) => (part.hit ? <mark key={index}>{part.text}</mark> : part.text))}
            </p>
          </li>
        ))}
      </ol>
      {cursor !== undefined && (
        <button type="button" class="button" onClick={() => void next()}>
          More
        </button>
      )}
    </>
  );
}
