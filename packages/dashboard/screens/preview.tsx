// What a job would begin with: robots.txt, the first page, the verdict of each link, and the sitemap.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Preview } from '../api-types.ts';
import { count, plural, shortUrl, sortedReasons, words } from '../format.ts';
import { Card, Facts } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { Chips, Tabs } from '../parts/controls.tsx';
import { PageHead, RawText, ReadingFrame } from './reader.tsx';

type Format = 'markdown' | 'text' | 'html';

export function PreviewResult(props: { preview: Preview; format: Format; begin: (url: string) => void }) {
  const { preview, format, begin } = props;
  const { robots, page, links, sitemap } = preview;
  return (
    <section class="preview stack gap-18" aria-label="Preview">
      <Card title={`Preview of ${shortUrl(preview.url)}`}>
        <Facts
          of={[
            ['robots.txt', <RobotsVerdict robots={robots} />],
            ['First page', <PageVerdict page={page} begin={begin} />],
            ['Links', <LinksVerdict page={page} links={links} />],
            ['Sitemap', <SitemapVerdict sitemap={sitemap} />],
          ]}
        />
        <p class="muted">
          {plural(preview.fetches, 'request was', 'requests were')} sent, at the pace of the host. Nothing was stored.
        </p>
      </Card>
      {page.status === 'read' && <FirstPage page={page} format={format} />}
      {links.found > 0 && <Links links={links} />}
    </section>
  );
}

function RobotsVerdict({ robots }: { robots: Preview['robots'] }) {
  const { status, isAllowed, isObeyed, rule, crawlDelaySeconds, message } = robots;
  const delay = crawlDelaySeconds === undefined ? '' : ` It asks for ${crawlDelaySeconds} s between two requests.`;
  if (status !== 'read') {
    const verdict = status === 'unreachable' ? 'could not be read' : 'was not read';
    return <Verdict verdict={verdict}>: {message}</Verdict>;
  }
  if (isAllowed !== false)
    return (
      <Verdict isGood verdict="allows the start URL">
        .{delay} {message}
      </Verdict>
    );
  return (
    <Verdict isGood={!isObeyed} verdict={isObeyed ? 'forbids the start URL' : 'is not obeyed'}>
      {rule !== undefined && ': '}
      {rule !== undefined && <code>{rule}</code>}
      {delay}
    </Verdict>
  );
}

function PageVerdict({ page, begin }: { page: Preview['page']; begin: (url: string) => void }) {
  const { status, redirectsTo, reason, message, meta = {}, statusCode } = page;
  const { wordCount, extractionQuality: quality } = meta as Partial<NonNullable<Preview['page']['meta']>>;
  const browser = page.needsBrowser === true && <Aside text="a browser could show more of it" />;
  if (status === 'read')
    return (
      <Verdict isGood verdict="is readable">
        {wordCount !== undefined && `, ${plural(wordCount, 'word')}`}
        {quality !== undefined && `, content found with a quality of ${quality.toFixed(2)} of 1`}
        {browser}
      </Verdict>
    );
  if (status === 'redirected')
    return (
      <>
        redirects to <code>{redirectsTo}</code>{' '}
        {redirectsTo !== undefined && (
          <Button kind="small" label="Preview that page" click={() => begin(redirectsTo)} />
        )}
      </>
    );
  return (
    <Verdict verdict={status === 'not_read' ? 'was not read' : words(reason ?? 'failed')}>
      {message !== undefined && `: ${message}`}
      {statusCode !== undefined && message?.includes(String(statusCode)) !== true && ` (status ${statusCode})`}
      {browser}
    </Verdict>
  );
}

function Verdict(props: { isGood?: boolean; verdict: string; children: ComponentChildren }) {
  return (
    <>
      <span class={props.isGood === true ? 'ok' : 'bad'}>{props.verdict}</span>
      {props.children}
    </>
  );
}

function Aside({ text }: { text: string }) {
  return <span class="muted"> · {text}</span>;
}

function LinksVerdict({ page, links }: Pick<Preview, 'page' | 'links'>) {
  const { found, followed, delivered } = links;
  return (
    <>
      {page.status !== 'read' && found === 0
        ? 'The page was not read.'
        : `${count(followed)} of ${plural(found, 'link')} would be followed${delivered === followed ? '' : `, ${count(delivered)} delivered`}`}
      {!links.isRobotsChecked && <Aside text="robots.txt is so large that some were not compared with it" />}
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
        {message !== undefined && <Aside text={message} />}
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
  const [view, setView] = useState<'Read' | 'Raw'>(format === 'text' ? 'Raw' : 'Read');
  const { meta, text = '', fetchedUrl = '' } = page;
  return (
    <article class="card preview-page">
      <PageHead class="preview-head" title={meta?.title || 'Without a title'} url={fetchedUrl}>
        <Tabs label="View of the page" names={['Read', 'Raw']} chosen={view} choose={setView} />
      </PageHead>
      <div class="preview-text">
        {view === 'Raw' ? (
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
  const shown = links.data.filter((link) => reason === undefined || (link.reason ?? 'follow') === reason);
  const reasons = sortedReasons(links.reasons).map(([name, total]) => [name, words(name), total] as const);
  return (
    <section class="card" aria-label="Links of the page">
      <h2>Links of the page</h2>
      <Chips
        label="Verdict"
        choices={[[undefined, 'all', links.found], ['follow', 'followed', links.followed], ...reasons]}
        chosen={reason}
        choose={(name, wasOn) => setReason(wasOn ? undefined : name)}
      />
      <ul class="preview-links">
        {shown.map(({ url, verdict, reason: why, detail }) => (
          <li key={url} class="preview-link">
            <span class={`outcome ${verdict === 'follow' ? 'outcome-scraped' : ''}`}>
              {verdict === 'follow' ? 'follow' : words(why ?? '')}
            </span>
            <span>
              {url}
              {detail !== undefined && <code>{detail}</code>}
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
