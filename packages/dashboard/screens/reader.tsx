// One page: rendered in a frame that runs nothing, as it is stored, its metadata, and what was left out of it.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Job, List, PageResult } from '../api-types.ts';
import { call, can, query, readLines } from '../api.ts';
import { bytes, count, plural } from '../format.ts';
import { inertHtml } from '../inert-html.ts';
import { CopyButton, ErrorNote, OutLink, Skeleton } from '../parts/basics.tsx';
import { Button, LinkButton } from '../parts/button.tsx';
import { Check, ConfirmButton, Tabs } from '../parts/controls.tsx';
import { useGet, useLoaded } from '../parts/loaded.tsx';
import { search, setSearch } from '../router.ts';
import { isDark } from '../theme.ts';
import { LeftOut } from './left-out.tsx';
import { ExtractedRecord, Metadata } from './metadata.tsx';
import { PickFields, type Picked } from './pick-fields.tsx';

const views = ['read', 'record', 'raw', 'meta', 'chunks', 'picture', 'left', 'pick'] as const;
type View = (typeof views)[number];
const viewNames: Readonly<Record<View, string>> = {
  read: 'Read',
  record: 'Record',
  raw: 'Raw',
  meta: 'Metadata',
  chunks: 'Chunks',
  picture: 'Picture',
  left: 'Left out',
  pick: 'Pick fields',
};
/** Longer texts are shown raw first: rendering them takes seconds. */
const readLengthMax = 500_000;

export function Reader({ job, page, onClose }: { job: Job; page: number; onClose: () => void }) {
  const path = `/crawler/jobs/${job.id}/data${query({ after: page - 1, limit: 1, wait: 0 })}`;
  const { value: list, error, notice, reload } = useGet<List<PageResult>>(path, { lines: 8 });
  const value = list?.data[0];
  const text = value?.text ?? '';
  // Counting 20 MB takes longer than a frame.
  const size = useMemo(() => new Blob([text]).size, [text]);
  const isLong = text.length > readLengthMax;
  const given = search.value.get('view');
  const offered = viewsOf(job);
  const chosen = offered.find((view) => view === given);
  const view = chosen ?? (isLong || job.output_format === 'text' ? 'raw' : 'read');
  // Requested when it is first opened, and kept while the page is open.
  const [asked, setAsked] = useState(0);
  const [picked, setPicked] = useState<Picked>({});
  useEffect(() => {
    if (view === 'left') setAsked(page);
  }, [view, page]);
  if (error) return notice;
  const meta = value?.meta;
  const copied =
    view === 'meta' || view === 'record' ? JSON.stringify(view === 'meta' ? meta : value?.extracted, null, 2) : text;
  return (
    <article class="reader">
      <PageHead class="reader-head" title={meta ? meta.meta.title || 'Without a title' : ' '} url={meta?.url}>
        {job.store_raw && (
          <LinkButton kind="small" label="As sent" href={`/crawler/jobs/${job.id}/pages/${page}/raw`} download />
        )}
        {meta && can('write') && meta.meta['erasedAt'] === undefined && (
          <ErasePage job={job} page={page} reload={reload} />
        )}
        <Button kind="small" class="reader-close" label="Close" aria-label="Close the page" click={onClose} />
      </PageHead>
      <div class="row reader-bar">
        <Tabs
          label="View of the page"
          names={offered}
          titles={viewNames}
          chosen={view}
          controls="reader-body"
          choose={(each) => setSearch({ view: each })}
        />
        <span class="muted tiny grow">
          {meta && `page ${count(page)} · ${bytes(size)}`}
          {meta?.meta.wordCount !== undefined && ` · ${count(meta.meta.wordCount)} words`}
        </span>
        <CopyButton text={copied} />
      </div>
      <div class="reader-body" id="reader-body" role="tabpanel" aria-labelledby={`reader-body-${view}`}>
        {!value && <Skeleton lines={8} />}
        {value?.meta.meta['erasedAt'] !== undefined && <p class="note">This page was erased.</p>}
        {value && view === 'read' && (
          <>
            {isLong && chosen === undefined && <p class="note">This page is long, so it opens raw.</p>}
            <ReadingFrame
              text={text}
              format={job.output_format}
              base={value.meta.fetchedUrl}
              title={value.meta.meta.title}
            />
          </>
        )}
        {value && view === 'record' && <ExtractedRecord page={value} />}
        {value && view === 'raw' && <RawText text={text} />}
        {value && view === 'meta' && (
          <Metadata fields={{ url: value.meta.url, fetchedUrl: value.meta.fetchedUrl, ...value.meta.meta }} />
        )}
        {value && view === 'chunks' && <Chunks jobId={job.id} page={page} length={Array.from(text).length} />}
        {value && view === 'picture' && (
          <div class="picture" tabIndex={0} role="region" aria-label="Picture of the page">
            <img src={`/crawler/jobs/${job.id}/pages/${page}/screenshot`} alt={`The page ${value.meta.url}`} />
          </div>
        )}
        {value && view === 'pick' && <PickFields job={job} page={value} picked={picked} setPicked={setPicked} />}
        {value && asked === page && (
          <div class="scroll" hidden={view !== 'left'}>
            <LeftOut jobId={job.id} page={page} />
          </div>
        )}
      </div>
    </article>
  );
}

/** Title and URL of a page, and what can be done with it. */
export function PageHead(props: {
  class: string;
  title: string;
  url: string | undefined;
  about?: string | undefined;
  children: ComponentChildren;
}) {
  const { title, url, about, children } = props;
  return (
    <header class={props.class}>
      <div class="grow">
        <h2>{title}</h2>
        <p class="tiny clip">
          {url === undefined ? ' ' : <OutLink url={url}>{url}</OutLink>}
          {about !== undefined && <span class="muted"> · {about}</span>}
        </p>
      </div>
      {children}
    </header>
  );
}

function viewsOf(job: Job): readonly View[] {
  const isOffered: Partial<Readonly<Record<View, boolean>>> = {
    pick: can('write'),
    record: (job['extract'] ?? null) !== null,
    chunks: job.output_format === 'markdown',
    picture: (job['screenshot'] ?? null) !== null,
  };
  return views.filter((view) => isOffered[view] !== false);
}

function ErasePage({ job, page, reload }: { job: Job; page: number; reload: () => void }) {
  const [withUrl, setWithUrl] = useState(false);
  return (
    <ConfirmButton
      label="Erase"
      kind="small"
      question={`Forget page ${count(page)} for good? Its number stays; text, metadata, picture and raw body go. Backups of before still have it.`}
      confirm="Erase the page"
      act={() => call(`/crawler/jobs/${job.id}/pages/${page}/erase`, { json: { url: withUrl } }).then(reload)}
    >
      <label class="check">
        <Check checked={withUrl} set={setWithUrl} /> Its URL too
      </label>
    </ConfirmButton>
  );
}

interface FrameProps {
  readonly text: string;
  readonly format: Job['output_format'];
  /** The URL of the page. */
  readonly base: string;
  readonly title: string;
}

/** The text of a page is hostile: it is rendered by `render-page.ts` into a frame without scripts, origin and network. */
export function ReadingFrame({ text, format, base, title }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    let isGone = false;
    import('../render-page.ts').then(
      ({ showPage }) => {
        if (!isGone && frame.current) showPage(frame.current, { text, format, base, isDark: isDark.value }, inertHtml);
      },
      (failure: unknown) => setError(failure as Error),
    );
    return () => {
      isGone = true;
    };
  }, [text, format, base, isDark.value]);
  if (error) return <ErrorNote error={error} />;
  return (
    <iframe
      ref={frame}
      class="reading-frame"
      title={title === '' ? 'Text of the page' : `Text of ${title}`}
      // Links open a tab of their own, which is not in the sandbox.
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerpolicy="no-referrer"
    />
  );
}

/** Each piece is laid out only when it is in view, so that 20 MB open at once. */
const pieceLength = 32_768;

export function RawText({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  if (text === '') return <p class="muted">The page has no text.</p>;
  return (
    <div class="raw" tabIndex={0} role="region" aria-label="Stored text">
      {pieces.map((piece, index) => (
        <pre key={index}>{piece}</pre>
      ))}
    </div>
  );
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const lineEnd = text.indexOf('\n', start + pieceLength);
    const end = lineEnd < 0 || lineEnd - start > 4 * pieceLength ? start + 2 * pieceLength : lineEnd + 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

interface Chunk {
  readonly chunk: { readonly headings: readonly string[]; readonly end: number };
  readonly text: string;
}

/** A page in chunks, as programs read it. `length`: characters of the whole text. */
function Chunks({ jobId, page, length }: { jobId: string; page: number; length: number }) {
  const { value, notice } = useLoaded(`${jobId} ${page}`, (signal) => chunksOf(jobId, page, length, signal));
  if (notice || !value) return notice;
  return (
    <div class="raw chunks" tabIndex={0} role="region" aria-label="Chunks of the page">
      <p class="muted">
        {plural(value.length, 'chunk')}, split at headings: <code>chunk=heading</code> of <code>/data</code>
      </p>
      {value.map(({ chunk: { headings }, text }, index) => (
        <section key={index}>
          <p class="muted">
            {count(index + 1)} {headings.join(' › ')}
          </p>
          <pre>{text}</pre>
        </section>
      ))}
    </div>
  );
}

/** The stream goes on with later pages, and of a running job waits for them: it is left with the end of this page. */
async function chunksOf(jobId: string, page: number, length: number, signal: AbortSignal): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  if (length === 0) return chunks;
  const path = `/crawler/jobs/${jobId}/data${query({ after: page - 1, chunk: 'heading' })}`;
  for await (const line of readLines<Chunk & { meta?: { page: number } }>(path, signal)) {
    if (line.meta?.page !== page) break;
    chunks.push(line);
    if (line.chunk.end >= length) break;
  }
  return chunks;
}
