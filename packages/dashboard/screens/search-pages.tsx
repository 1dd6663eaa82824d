// Search in the text of a job's pages.
import { useState } from 'preact/hooks';
import { hasEnded, type Job, type SearchResults } from '../api-types.ts';
import { call, query } from '../api.ts';
import { count, pathOf, plural } from '../format.ts';
import { Empty } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { SearchInput } from '../parts/controls.tsx';
import { useInterval, useSearchText } from '../parts/hooks.ts';
import { useGet } from '../parts/loaded.tsx';
import { search } from '../router.ts';

const queryLengthMax = 500;
const perLoad = 50;
/** How soon a search is repeated while pages are being indexed. */
const indexingMs = 2_000;

export function SearchPages({ job }: { job: Job }) {
  const q = search.value.get('q') ?? '';
  const [text, setText] = useSearchText('q');
  return (
    <section class="stack gap-14">
      <SearchInput
        class="search-large"
        label="Search the pages"
        placeholder={'Words, or a "phrase in quotes"'}
        maxLength={queryLengthMax}
        value={text}
        set={setText}
      />
      {q === '' ? (
        <Empty
          title="Search the text of this job"
          text="A page must have all of the words, in any order. The last word also finds longer ones. Quotes keep a phrase together. The first search builds the index."
        />
      ) : (
        <Results key={q} job={job} q={q} />
      )}
    </section>
  );
}

function Results({ job, q }: { job: Job; q: string }) {
  const url = (cursor?: string): string => `/crawler/jobs/${job.id}/search${query({ q, limit: perLoad, cursor })}`;
  const { value, notice, reload } = useGet<SearchResults>(url());
  const [more, setMore] = useState<SearchResults>();
  const isIndexing = value !== undefined && value.indexedPages < value.pages && more === undefined;
  useInterval(reload, isIndexing ? indexingMs : 0);
  const hits = [...(value?.data ?? []), ...(more?.data ?? [])];
  const cursor = more ? more.cursor : value?.cursor;
  const next = async (): Promise<void> => {
    const list = await call<SearchResults>(url(cursor));
    setMore({ ...list, data: [...(more?.data ?? []), ...list.data] });
  };
  if (notice || !value) return notice;
  return (
    <>
      <p class="muted" role="status">
        {hits.length === 0 ? 'No page matches' : cursor === undefined ? plural(hits.length, 'hit') : 'The best hits'}
        {' among '}
        {value.indexedPages < value.pages
          ? `${count(value.indexedPages)} of ${count(value.pages)} pages: the others are being indexed`
          : `${plural(value.pages, 'page')}${hasEnded(job) ? '' : ' so far'}`}
      </p>
      <ol class="hits stack gap-18">
        {hits.map((hit) => (
          <li key={hit.page}>
            <a href={`/jobs/${job.id}/pages?page=${hit.page}`}>{hit.title === '' ? pathOf(hit.url) : hit.title}</a>
            <span class="muted tiny clip">{hit.url}</span>
            <p>
              {hit.snippetParts.map((part, index) => (part.hit ? <mark key={index}>{part.text}</mark> : part.text))}
            </p>
          </li>
        ))}
      </ol>
      {cursor !== undefined && <Button label="More" click={next} />}
    </>
  );
}
