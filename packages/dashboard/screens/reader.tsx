// One page: rendered in a frame that runs nothing, as it is stored, its metadata, and what was left out of it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Job, List, PageResult } from '../api-types.ts';
import { call, can, query } from '../api.ts';
import { bytes, count } from '../format.ts';
import { inertHtml } from '../inert-html.ts';
import { ConfirmButton, CopyButton, ErrorNote, OutLink, Skeleton, Tabs } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { search, setSearch } from '../router.ts';
import { isDark } from '../theme.ts';
import { Chunks } from './chunks.tsx';
import { ExtractedRecord } from './extracted-record.tsx';
import { LeftOut } from './left-out.tsx';
import { Metadata } from './metadata.tsx';
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
  const { value, error, reload } = useLoaded(`${job.id} ${page}`, async (signal) => {
    const { data } = await call<List<PageResult>>(
      `/crawler/jobs/${job.id}/data${query({ after: page - 1, limit: 1, wait: 0 })}`,
      { signal },
    );
    return data[0];
  });
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
  if (error) return <ErrorNote error={error} retry={reload} />;
  const meta = value?.meta;
  const copied =
    view === 'meta' || view === 'record' ? JSON.stringify(view === 'meta' ? meta : value?.extracted, null, 2) : text;
  return (
    <article class="reader">
      <header class="reader-head">
        <div class="reader-title">
          <h2>{meta ? meta.meta.title || 'Without a title' : ' '}</h2>
          <p class="reader-url">{meta ? <OutLink url={meta.url}>{meta.url}</OutLink> : ' '}</p>
        </div>
        {job.store_raw && (
          <a class="button button-small" href={`/crawler/jobs/${job.id}/pages/${page}/raw`} download>
            As sent
          </a>
        )}
        {value && can('write') && value.meta.meta['erasedAt'] === undefined && (
          <ErasePage job={job} page={page} reload={reload} />
        )}
        <button type="button" class="button button-small reader-close" onClick={onClose} aria-label="Close the page">
          Close
        </button>
      </header>
      <div class="reader-bar">
        <Tabs
          label="View of the page"
          names={offered}
          titles={viewNames}
          chosen={view}
          controls="reader-body"
          choose={(each) => setSearch({ view: each })}
        />
        <span class="muted reader-size">
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
          <div hidden={view !== 'left'}>
            <LeftOut jobId={job.id} page={page} />
          </div>
        )}
      </div>
    </article>
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
      class="button-small"
      question={`Forget page ${count(page)} for good? Its number stays; text, metadata, picture and raw body go. Backups of before still have it.`}
      confirm="Erase the page"
      act={async () => {
        await call(`/crawler/jobs/${job.id}/pages/${page}/erase`, { json: { url: withUrl } });
        reload();
      }}
    >
      <label class="check">
        <input type="checkbox" checked={withUrl} onChange={(event) => setWithUrl(event.currentTarget.checked)} /> Its
        URL too
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
