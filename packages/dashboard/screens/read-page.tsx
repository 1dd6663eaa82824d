// One page, read now: its text, its metadata, and what was left out of it. Nothing is crawled.
import { useState } from 'preact/hooks';
import type { Scraped } from '../api-types.ts';
import { ApiError, call } from '../api.ts';
import { plural, words } from '../format.ts';
import { CopyButton, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { Tabs } from '../parts/controls.tsx';
import { useAction } from '../parts/hooks.ts';
import { LeftOutTexts } from './left-out.tsx';
import { Metadata } from './metadata.tsx';
import { PageHead, RawText, ReadingFrame } from './reader.tsx';

const views = ['Read', 'Markdown', 'Metadata', 'Left out'] as const;
type View = (typeof views)[number];

export function ReadPage() {
  const [url, setUrl] = useState('');
  const [response, setResponse] = useState<Scraped>();
  const { isBusy, error, run } = useAction();
  const read = (event: Event): void => {
    event.preventDefault();
    setResponse(undefined);
    void run(async (signal) =>
      setResponse(await call('/scraper/scrape', { json: { url, formats: ['dropped'] }, signal })),
    );
  };
  // The field says what is wrong with it; the note all the rest.
  const wrong = error instanceof ApiError ? error.fields.find(({ field }) => field === 'url')?.message : undefined;
  return (
    <section class="card stack read-page" aria-label="Read one page">
      <form onSubmit={read}>
        <label class="field">
          <span>Read one page</span>
          <span class="field-row">
            <input
              type="text"
              inputMode="url"
              required
              autoComplete="off"
              placeholder="example.com/page"
              value={url}
              aria-invalid={wrong !== undefined}
              aria-describedby="read-page-about"
              onInput={(event) => setUrl(event.currentTarget.value)}
            />
            <Button type="submit" label={isBusy ? 'Reading …' : 'Read it'} disabled={isBusy} />
          </span>
        </label>
        <small id="read-page-about" class={wrong === undefined ? 'muted' : 'bad'}>
          {wrong ?? 'Shows one page as Markdown, now, and what was left out of it. To crawl a site, create a job.'}
        </small>
      </form>
      <div aria-live="polite" aria-busy={isBusy}>
        {isBusy && <Skeleton lines={4} />}
        {error && wrong === undefined && <ErrorNote error={error} />}
        {response?.status === 'failed' && (
          <p class="note note-bad">
            <b class="words">{words(response.error.reason)}</b>: {response.error.detail}
          </p>
        )}
        {response?.status === 'scraped' && (
          <Result key={response.jobId} response={response} close={() => setResponse(undefined)} />
        )}
      </div>
    </section>
  );
}

function Result({ response, close }: { response: Extract<Scraped, { status: 'scraped' }>; close: () => void }) {
  const [view, setView] = useState<View>('Read');
  const { text, meta, url, formats } = response;
  const { fetchedUrl, ...rest } = meta;
  return (
    <article class="read-result">
      <PageHead
        class="preview-head"
        title={meta.title || 'Without a title'}
        url={fetchedUrl}
        about={meta.wordCount === undefined ? undefined : plural(meta.wordCount, 'word')}
      >
        <Tabs label="View of the page" names={views} chosen={view} choose={setView} />
        <CopyButton text={text} label="Copy the Markdown" />
        <Button kind="small" label="Close" click={close} />
      </PageHead>
      <div class="preview-text">
        {view === 'Read' && <ReadingFrame text={text} format="markdown" base={fetchedUrl} title={meta.title} />}
        {view === 'Markdown' && <RawText text={text} />}
        {view === 'Metadata' && <Metadata fields={{ url, fetchedUrl, ...rest }} />}
        {view === 'Left out' && (
          <div class="scroll">
            <LeftOutTexts data={formats?.dropped ?? []} />
          </div>
        )}
      </div>
    </article>
  );
}
