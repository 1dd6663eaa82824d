// The pages of a job: a list that holds only what is in view, and the page that is open.
import { useRef, useState } from 'preact/hooks';
import { hasEnded, type Job, type List, type PageMeta, type PageResult } from '../api-types.ts';
import { call, query } from '../api.ts';
import { count } from '../format.ts';
import { Empty } from '../parts/basics.tsx';
import { SearchInput } from '../parts/controls.tsx';
import { useKeys, useSearchText } from '../parts/hooks.ts';
import { PageRow } from '../parts/page-row.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { search, setSearch } from '../router.ts';
import { FoundPages } from './found-pages.tsx';
import { Reader } from './reader.tsx';

const rowHeight = 44;

export function Pages({ job }: { job: Job }) {
  const total = job.progress.scraped;
  const pages = usePages(job.id, total);
  const given = Number(search.value.get('page'));
  const open = Number.isInteger(given) && given >= 1 && given <= total ? given : undefined;
  const [text, setText] = useSearchText('filter');
  const q = search.value.get('filter') ?? '';
  const select = (page: number | undefined): void => setSearch({ page: page?.toString() });
  const step = (by: number): void => {
    const next = (open ?? 0) + by;
    if (next >= 1 && next <= total) select(next);
  };
  useKeys({ j: () => step(1), k: () => step(-1), Escape: () => select(undefined) });
  if (total === 0)
    return (
      <Empty title={hasEnded(job) ? 'No page was delivered' : 'No page yet'}>
        {hasEnded(job) ? (
          <p>
            <a href={`/jobs/${job.id}/urls`}>Why not</a> lists every URL that was found, with its reason.
          </p>
        ) : (
          <p>Pages appear here as soon as they are crawled.</p>
        )}
      </Empty>
    );
  return (
    <div class={`pages ${open === undefined ? '' : 'pages-open'}`}>
      <section class="pages-list" aria-label="Pages">
        <SearchInput class="pages-filter" label="Filter by title and URL" value={text} set={setText} />
        {q !== '' && <FoundPages job={job} q={q} open={open} select={select} />}
        <div class="pages-all" hidden={q !== ''}>
          <VirtualList
            count={total}
            rowHeight={rowHeight}
            label={`${count(total)} pages. Arrow keys move, Home and End go to the ends.`}
            selected={open === undefined ? undefined : open - 1}
            onSelect={(index) => select(index + 1)}
            onRange={pages.load}
            row={(index) => <PageRow number={index + 1} meta={pages.get(index + 1)} />}
          />
        </div>
      </section>
      <section class="pages-reader" aria-label="Page">
        {open === undefined ? (
          <div class="pages-hint">
            <p>Choose a page to read it.</p>
            <p class="muted">
              <kbd>j</kbd> and <kbd>k</kbd> go to the next and the previous one, <kbd>Esc</kbd> closes it.
            </p>
          </div>
        ) : (
          <Reader job={job} page={open} onClose={() => select(undefined)} />
        )}
      </section>
    </div>
  );
}

const perChunk = 200;
/** Chunks kept: 6,000 rows, however long the list. */
const chunksMax = 30;
/** A list that is dragged passes many chunks: only those where it rests are loaded. */
const restMs = 50;

/**
 * Page numbers have no gaps, so every window of the list is one request. The last chunk is loaded again when the job has
 * more pages.
 */
function usePages(
  jobId: string,
  total: number,
): { readonly get: (page: number) => PageMeta | undefined; readonly load: (first: number, last: number) => void } {
  const [, redraw] = useState(0);
  const chunks = useRef(new Map<number, readonly PageMeta[]>());
  const loading = useRef(new Map<number, AbortController>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const expected = (chunk: number): number => Math.min(perChunk, total - chunk * perChunk);

  const loadChunk = async (chunk: number): Promise<void> => {
    if (loading.current.has(chunk)) return;
    if ((chunks.current.get(chunk)?.length ?? -1) >= expected(chunk)) return;
    const abort = new AbortController();
    loading.current.set(chunk, abort);
    try {
      const { data } = await call<List<PageResult>>(
        `/crawler/jobs/${jobId}/meta${query({ after: chunk * perChunk, limit: perChunk, fields: 'title,wordCount', wait: 0 })}`,
        { signal: abort.signal },
      );
      chunks.current.delete(chunk);
      chunks.current.set(
        chunk,
        data.map(({ meta }) => meta),
      );
      for (const oldest of chunks.current.keys()) {
        if (chunks.current.size <= chunksMax) break;
        chunks.current.delete(oldest);
      }
      redraw((last) => last + 1);
    } catch {
      // Rows that were not loaded stay grey, and are tried again with the next move of the list.
    } finally {
      loading.current.delete(chunk);
    }
  };
  return {
    get: (page) => chunks.current.get(Math.floor((page - 1) / perChunk))?.[(page - 1) % perChunk],
    load: (first, last) => {
      clearTimeout(timer.current);
      const wanted = [...new Set([Math.floor(first / perChunk), Math.floor(last / perChunk)])];
      const start = (): void => {
        for (const [chunk, abort] of loading.current) if (!wanted.includes(chunk)) abort.abort();
        for (const chunk of wanted) void loadChunk(chunk);
      };
      if (chunks.current.size === 0) start();
      else timer.current = setTimeout(start, restMs);
    },
  };
}
