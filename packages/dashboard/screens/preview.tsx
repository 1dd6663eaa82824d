// What a job would begin with: robots.txt, the first page, the verdict of each link, and the sitemap.
import { useState } from 'preact/hooks';
import type { Preview } from '../api-types.ts';
import { count, plural, shortUrl, words } from '../format.ts';
import { OutLink } from '../parts/basics.tsx';
import { RawText, ReadingFrame } from './reader.tsx';

type Format = 'markdown' | 'text' | 'html';

export function PreviewResult(props: { preview: Preview; format: Format; begin: (url: string) => void }) {
  const { preview, format, begin } = props;
  const { robots, page, links, sitemap } = preview;
  return (
    <section class="preview" aria-label="Preview">
      <div class="card">
        <h2>Preview of {shortUrl(preview.url)}</h2>
        <dl class="facts">
          <div>
            <dt>robots.txt</dt>
            <dd>
              <RobotsVerdict robots={robots} />
            </dd>
          </div>
          <div>
            <dt>First page</dt>
            <dd>
              <PageVerdict page={page} begin={begin} />
            </dd>
          </div>
          <div>
            <dt>Links</dt>
            <dd>
              {page.status !== 'read' && links.found === 0
                ? 'The page was not read.'
                : `${count(links.followed)} of ${plural(links.found, 'link', 'links')} would be followed${links.delivered === links.followed ? '' : `, ${count(links.delivered)} delivered`}`}
              {!links.isRobotsChecked && (
                <span class="muted"> · robots.txt is so large that some were not compared with it</span>
              )}
            </dd>
          </div>
          <div>
            <dt>Sitemap</dt>
            <dd>
              <SitemapVerdict sitemap={sitemap} />
            </dd>
          </div>
        </dl>
        <p class="muted preview-cost">
          {plural(preview.fetches, 'request was', 'requests were')} sent, at the pace of the host. Nothing was stored.
        </p>
      </div>
      {page.status === 'read' && <FirstPage page={page} format={format} />}
      {links.found > 0 && <Links links={links} />}
    </section>
  );
}

function RobotsVerdict({ robots }: { robots: Preview['robots'] }) {
  const { status, isAllowed, isObeyed, rule, crawlDelaySeconds, message } = robots;
  const delay = crawlDelaySeconds === undefined ? '' : ` It asks for ${crawlDelaySeconds} s between two requests.`;
  if (status !== 'read')
    return (
      <>
        <span class="bad">{status === 'unreachable' ? 'could not be read' : 'was not read'}</span>: {message}
      </>
    );
  if (isAllowed === false)
    return (
      <>
        <span class={isObeyed ? 'bad' : 'ok'}>{isObeyed ? 'forbids the start URL' : 'is not obeyed'}</span>
        {rule !== undefined && (
          <>
            : <code>{rule}</code>
          </>
        )}
        {delay}
      </>
    );
  return (
    <>
      <span class="ok">allows the start URL</span>.{delay} {message}
    </>
  );
}

function PageVerdict({ page, begin }: { page: Preview['page']; begin: (url: string) => void }) {
  const { status, redirectsTo, reason, message, meta, statusCode } = page;
  if (status === 'read') {
    const quality = meta?.extractionQuality;
    return (
      <>
        <span class="ok">is readable</span>
        {meta?.wordCount !== undefined && `, ${plural(meta.wordCount, 'word', 'words')}`}
        {quality !== undefined && `, content found with a quality of ${quality.toFixed(2)} of 1`}
        {page.needsBrowser === true && <span class="muted"> · a browser could show more of it</span>}
      </>
    );
  }
  if (status === 'redirected')
    return (
      <>
        redirects to <code>{redirectsTo}</code>{' '}
        {redirectsTo !== undefined && (
          <button type="button" class="button button-small" onClick={() => begin(redirectsTo)}>
            Preview that page
          </button>
        )}
      </>
    );
  return (
    <>
      <span class="bad">{status === 'not_read' ? 'was not read' : words(reason ?? 'failed')}</span>
      {message !== undefined && `: ${message}`}
      {statusCode !== undefined && message?.includes(String(statusCode)) !== true && ` (status ${statusCode})`}
      {page.needsBrowser === true && <span class="muted"> · a browser could show more of it</span>}
    </>
  );
}

function SitemapVerdict({ sitemap }: { sitemap: Preview['sitemap'] }) {
  const { status, url, urls = 0, followed = 0, sitemaps = 0, message } = sitemap;
  if (status === 'read')
    return (
      <>
        {sitemaps > 0
          ? `names ${plural(sitemaps, 'further sitemap', 'further sitemaps')}, which the crawl reads`
          : `names ${plural(urls, 'URL', 'URLs')}, of which the crawl would fetch ${count(followed)}`}
        {message !== undefined && <span class="muted"> · {message}</span>}
      </>
    );
  const what = { missing: 'there is none', unreadable: 'could not be read', not_read: 'was not read' }[status];
  return (
    <>
      {what}
      {message !== undefined && `: ${message}`}
      {url !== undefined && status === 'not_read' && <span class="muted"> ({url})</span>}
    </>
  );
}

function FirstPage({ page, format }: { page: Preview['page']; format: Format }) {
  const [isRaw, setRaw] = useState(format === 'text');
  const { meta, text = '', fetchedUrl = '' } = page;
  return (
    <article class="card preview-page">
      <header class="preview-head">
        <div class="reader-title">
          <h2>{meta?.title || 'Without a title'}</h2>
          <p class="reader-url">
            <OutLink url={fetchedUrl}>{fetchedUrl}</OutLink>
          </p>
        </div>
        <div class="tabs-small" role="group" aria-label="View of the page">
          <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
            Read
          </button>
          <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
            Raw
          </button>
        </div>
      </header>
      <div class="preview-text">
        {isRaw ? (
          <RawText text={text} />
        ) : (
          <ReadingFrame text={text} format={format} base={fetchedUrl} title={meta?.title ?? ''} />
        )}
      </div>
      {page.isTextCut === true && (
        <p class="muted">Only the first {count(text.length)} characters are shown. A crawl stores the whole text.</p>
      )}
    </article>
  );
}

function Links({ links }: { links: Preview['links'] }) {
  const [reason, setReason] = useState<string>();
  const reasons = Object.entries(links.reasons).toSorted(([, a], [, b]) => b - a);
  const shown = links.data.filter((link) => reason === undefined || (link.reason ?? 'follow') === reason);
  const chip = (name: string | undefined, label: string, total: number) => (
    <button
      key={label}
      type="button"
      class="chip"
      aria-pressed={reason === name}
      onClick={() => setReason(reason === name ? undefined : name)}
    >
      {label} <span class="chip-count">{count(total)}</span>
    </button>
  );
  return (
    <section class="card" aria-label="Links of the page">
      <h2>Links of the page</h2>
      <div class="chips">
        {chip(undefined, 'all', links.found)}
        {chip('follow', 'followed', links.followed)}
        {reasons.map(([name, total]) => chip(name, words(name), total))}
      </div>
      <ul class="preview-links">
        {shown.map(({ url, verdict, reason: why, detail }) => (
          <li key={url}>
            <span class={`outcome ${verdict === 'follow' ? 'outcome-scraped' : ''}`}>
              {verdict === 'follow' ? 'follow' : words(why ?? '')}
            </span>
            <span class="preview-url">
              {url}
              {detail !== undefined && <code class="preview-detail">{detail}</code>}
            </span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">None of the first {count(links.data.length)} links.</p>}
      {links.found > links.data.length && (
        <p class="muted">The first {count(links.data.length)} links are listed; the numbers count all of them.</p>
      )}
    </section>
  );
}
