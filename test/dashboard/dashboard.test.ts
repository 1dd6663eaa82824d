/// <reference lib="dom" />
// The dashboard in a real browser, against a real service that crawls a real site.
//
// People differ from this test in that they open deep links first, come back to a tab whose session has ended, use only the
// keyboard, or a screen reader, and narrow screens; and crawled sites in that some are hostile to who reads them.
import type { Locator } from 'playwright-core';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type ScriptedSite, startScriptedSite } from '../e2e/scripted-site.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { type BrowserSession, isBrowserMissing, loginLink, openBrowser, seriousFindings } from './browser-session.ts';

const articles = 60;
const paragraph = 'The hay is dry when it rustles, and a handful of it breaks when it is twisted. '.repeat(4);

describe.skipIf(isBrowserMissing)('the dashboard (needs chromium-headless-shell)', () => {
  let site: ScriptedSite;
  let service: TestService;
  let browser: BrowserSession;
  const tracked: string[] = [];
  /** A site that wants to learn who reads a page. */
  const tracker = createServer((request, response) => {
    tracked.push(request.url ?? '');
    response.end();
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      tracker.listen(0, '127.0.0.1', resolve);
    });
    site = await startScriptedSite(answer);
    service = await startService();
  });
  afterAll(async () => {
    await service?.close();
    await site?.close();
    tracker.close();
  });
  beforeEach(async () => {
    browser = await openBrowser(service);
  });
  afterEach(async () => {
    const { violations, faults } = browser;
    await browser.close();
    expectNothing(violations, faults);
  });

  function answer(path: string): Answer {
    if (path === '/robots.txt')
      return { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private/' };
    if (path === '/')
      return html('Haymaking', [...numbers().map((n) => `/articles/${n}`), '/missing', '/private/diary']);
    if (path.startsWith('/articles/')) return html(`Article ${path.slice(10)}`, ['/']);
    const [, step] = /^\/slow\/(\d+)$/.exec(path) ?? [];
    if (step !== undefined)
      return (_request, response) =>
        void sleep(150).then(() => {
          response.setHeader('content-type', 'text/html');
          response.end(page(`Slow ${step}`, [`/slow/${Number(step) + 1}`, `/slow/${Number(step) + 1000}`]));
        });
    return path === '/hostile' ? { headers: { 'content-type': 'text/html' }, body: hostilePage() } : undefined;
  }

  async function signIn(): Promise<void> {
    await browser.page.goto(service.origin);
    await browser.page.getByLabel('API token').fill(service.token);
    await browser.page.getByRole('button', { name: 'Sign in' }).click();
    await browser.page.getByRole('heading', { name: 'Jobs' }).waitFor();
  }

  test('dashboard: says what a job waits for when nothing ends', async () => {
    const { page } = browser;
    const slow = await startScriptedSite((path) =>
      path === '/robots.txt'
        ? { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nCrawl-delay: 240' }
        : html('Slow', ['/a', '/b']),
    );
    const { id } = await service.createJob({ urls: [`${slow.origin}/`] });
    await signIn();
    await page.goto(`${service.origin}/jobs/${id}`);
    await page.getByText(`Waits for 127.0.0.1:${new URL(slow.origin).port}, which is asked again in`).waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);
    await page.route('**/readyz', (route) =>
      route.fulfill({ status: 503, json: { status: 'not_ready', database: false, reason: 'disk_full' } }),
    );
    await page.getByText('Waits for room on the disk').waitFor();
    await service.ok(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
    await page.getByText('Waits for room on the disk').waitFor({ state: 'detached' });
    await slow.close();
  });

  test('a job is created, watched, read, explained and cancelled, and the browser signs out', async () => {
    const { page } = browser;
    await page.goto(`${service.origin}/new`);
    // Without a session every address shows the sign-in, and the screen afterwards.
    expect(await seriousFindings(browser.page)).toEqual([]);
    await page.getByLabel('API token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The token is wrong, revoked or expired.').waitFor();
    await page.getByLabel('API token').fill(service.token);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByLabel('Start URLs').fill('not a URL');
    await page.getByRole('button', { name: 'Start the crawl' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByLabel('Start URLs').fill(`${site.origin}/`);
    await page.getByLabel('Links from a start URL at most').fill('3');
    await page.getByRole('tab', { name: 'CLI' }).click();
    await page.getByText(`hayrake crawl ${site.origin}/ --max-depth 3`).waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);
    await page.getByRole('button', { name: 'Start the crawl' }).click();

    await page.waitForURL(/\/jobs\/[0-9A-Z]{26}$/);
    await page.getByText('Succeeded').waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);

    await page.getByRole('link', { name: 'Pages', exact: true }).click();
    // Only the rows that can be seen exist, and pages are in the order in which they arrived.
    const row = page.getByRole('option', { name: /Article \d/ }).first();
    const [title = ''] = /Article \d+/.exec(await row.innerText()) ?? [];
    await row.click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: title, exact: true }).waitFor();
    expect(page.url()).toMatch(/\?page=\d+$/);
    const before = page.url();
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.href !== before);
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByText('The hay is dry').first().waitFor();
    await page.getByRole('tab', { name: 'Metadata' }).click();
    await page.getByText('fetchedUrl').waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);

    await page.getByRole('link', { name: 'Why not' }).click();
    await page.getByRole('button', { name: /robots disallowed/ }).click();
    await page.getByText('/private/diary').click();
    await page.getByText('First found on').waitFor();
    await page.getByText('Disallow: /private/').first().waitFor();
    await page.getByRole('link', { name: 'Explain' }).click();
    await page.getByText('It is never to be fetched, so it was not requested: robots_disallowed.').waitFor();
    await page.getByLabel('Filter by URL').fill('/ARTICLES/4');
    await expectCount(page.locator('.urls li'), 11);
    expect(await seriousFindings(browser.page)).toEqual([]);

    await page.getByRole('link', { name: 'Tree' }).click();
    await page.getByRole('button', { name: new RegExp(site.origin) }).click();
    await page.getByRole('link', { name: /^60 URLs below .*articles/ }).click();
    await page.waitForURL(/\/urls\?q=/);
    await page.goBack();
    await page.getByRole('button', { name: new RegExp(site.origin) }).waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);

    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByLabel('Search the pages').fill('"article 17" rustles');
    await expectCount(page.locator('.hits li'), 1);
    expect(await page.locator('.hits mark').count()).toBeGreaterThan(0);
    expect(await seriousFindings(browser.page)).toEqual([]);
    await page.getByRole('link', { name: 'Article 17' }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Article 17' }).waitFor();

    await page.goto(`${service.origin}/new`);
    await page.getByLabel('Start URLs').fill(`${site.origin}/slow/0`);
    await page.getByRole('button', { name: 'Start the crawl' }).click();
    await page.getByText('Running').waitFor();
    await page.locator('.chart canvas').waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);
    const running = page.url();
    await page.getByRole('link', { name: 'Hosts' }).click();
    await page.getByRole('rowheader', { name: new URL(site.origin).host }).waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);
    await page.goto(running);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();

    for (const path of ['/webhooks', '/system', '/']) {
      await page.goto(`${service.origin}${path}`);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      expect(await seriousFindings(browser.page), path).toEqual([]);
    }
    expect(
      await page.evaluate(() => document.cookie + JSON.stringify(sessionStorage) + JSON.stringify(localStorage)),
    ).toBe('{}{}');
    await page.getByLabel('Account of org').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API token').waitFor();
    await page.reload();
    await page.getByLabel('API token').waitFor();
  });

  test('a job is previewed before it starts: robots.txt, the first page, and each link with its verdict', async () => {
    const { page } = browser;
    await signIn();
    await page.goto(`${service.origin}/new`);
    await page.getByLabel('Start URLs').fill(`${site.origin}/`);
    await page.getByLabel('Skip URLs that match', { exact: true }).fill('/articles/1*');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('allows the start URL').waitFor();
    await preview.getByText('50 of 62 links would be followed').waitFor();
    await preview.getByText('there is none').waitFor();
    await page.frameLocator('.preview iframe').getByRole('heading', { name: 'Haymaking' }).waitFor();
    await page.getByRole('button', { name: /excluded by glob/ }).click();
    await expectCount(page.locator('.preview-links li'), 11);
    await page.getByRole('button', { name: /robots disallowed/ }).click();
    await page.getByText('Disallow: /private/').waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);
    await page.getByLabel('Links from a start URL at most').fill('1');
    await page.getByText('The request has changed since this answer.').waitFor();
    await page.getByLabel('Start URLs').fill(`${site.origin}/private/diary`);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await preview.getByText('forbids the start URL').waitFor();
    expect((await service.ok<{ data: unknown[] }>(`/crawler/jobs?kind=all&q=private`)).data).toEqual([]);
  });

  test('a token is created, its secret is shown once, and it is revoked', async () => {
    const { page } = browser;
    await signIn();
    await page.goto(`${service.origin}/tokens`);
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByLabel(/^write/).uncheck();
    await page.getByRole('button', { name: 'Create the token' }).click();
    const token = await page.getByRole('region', { name: 'The new token' }).innerText();
    expect(await service.ok('/session', { token: token.trim() })).toMatchObject({ permissions: ['read'] });
    expect(await seriousFindings(browser.page)).toEqual([]);
    await page.reload();
    const row = page.locator('.tokens li').filter({ hasText: 'laptop' });
    await row.waitFor();
    expect(await page.content()).not.toContain(token.trim());
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke the token' }).click();
    await row.getByText('revoked').waitFor();
    expect((await service.api('/session', { token: token.trim() })).status).toBe(401);
  });

  test('without the permission, the screen of tokens says how to get it', async () => {
    const { token } = await service.createToken({ org: 'plain' });
    const { page } = browser;
    await page.goto(`${service.origin}/tokens`);
    await page.getByLabel('API token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('hayrake token create --permissions read,write,tokens --org plain').waitFor();
    expect(await seriousFindings(browser.page)).toEqual([]);
  });

  test('a login link opens it signed in, once; then it says what to do', async () => {
    const { page } = browser;
    const link = loginLink(service);
    await page.goto(link);
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.context().clearCookies();
    expect((await page.goto(link))?.status()).toBe(403);
    await page.getByText('This login link is wrong, was used before, or has expired.').waitFor();
  });

  test('dashboard: lists what was left out of a page when its tab is opened', async () => {
    const { page } = browser;
    const hay = await startScriptedSite((path) => {
      if (path === '/robots.txt') return undefined;
      const prose = 'Hay is dried for three days in the sun, and turned twice. '.repeat(8);
      return {
        headers: { 'content-type': 'text/html' },
        body: `<title>Hay</title><nav>Menu of <img src=x onerror=alert(1)>fields</nav><main><h1>Hay</h1><p>${prose}</p></main><footer>Made of &lt;b&gt;grass&lt;/b&gt;</footer>`,
      };
    });
    const asked = { urls: [`${hay.origin}/`], max_depth: 0, force_crawling_mode: 'link', store_raw: true };
    const { id } = await service.crawl(asked);
    await signIn();
    await page.goto(`${service.origin}/jobs/${id}/pages?page=1`);
    await page.frameLocator('iframe').getByText('Hay is dried').waitFor();
    await page.getByRole('tab', { name: 'Left out' }).click();
    await page.getByText('Made of <b>grass</b>').waitFor();
    expect(await page.locator('.left-out tbody tr').allInnerTexts()).toEqual([
      'nav\t3\tMenu of fields',
      'footer\t5\tMade of <b>grass</b>',
    ]);
    expect(await seriousFindings(browser.page)).toEqual([]);
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByRole('tab', { name: 'Left out' }).click();
    await page.getByText('8 words left out').waitFor();
    const reader = await service.createToken({ org: 'default', permissions: 'read' });
    await page.context().clearCookies();
    await page.goto(`${service.origin}/jobs/${id}/pages?page=1&view=left`);
    await page.getByLabel('API token').fill(reader.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('8 words left out').waitFor();
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Read', 'Raw', 'Metadata', 'Chunks', 'Left out']);
    await hay.close();
  });

  test.each(['markdown', 'html', 'text'])(
    'a hostile page is read as %s: nothing runs, and nothing leaves',
    async (format) => {
      const { id } = await service.crawl({
        urls: [`${site.origin}/hostile`],
        output_format: format,
        content: 'full',
        page_limit: 1,
      });
      tracked.length = 0;
      const { page } = browser;
      await signIn();
      await page.goto(`${service.origin}/jobs/${id}/pages?page=1&view=read`);
      const frame = page.frameLocator('iframe');
      await frame.getByText('Plain words of the page').waitFor();
      const html = await frame.locator('html').innerHTML();
      expect(html).not.toMatch(
        /<(script|style|iframe|form|input|object|meta http-equiv="refresh|svg|img|video|base)\b/i,
      );
      expect(html).not.toMatch(/<[^>]+ (on\w+|style|src|srcset)=/i);
      expect(html).not.toMatch(/href="(?!https?:|mailto:|\/assets\/)/i);
      await page.getByRole('tab', { name: 'Raw' }).click();
      await page.getByRole('tab', { name: 'Metadata' }).click();
      await page.goto(`${service.origin}/jobs/${id}/pages`);
      await page.locator('.virtual-row').first().waitFor();
      await page.goto(`${service.origin}/jobs/${id}/urls`);
      await page.locator('.urls li').first().waitFor();
      await sleep(300);
      expect(tracked).toEqual([]);
      expect(await page.evaluate(() => (globalThis as { pwned?: boolean }).pwned)).toBeUndefined();
    },
  );

  test.each([true, false])(
    'values of a hostile page are listed, kept as sent: %s; nothing runs, and nothing leaves',
    async (isKept) => {
      const { id } = await service.crawl({ urls: [`${site.origin}/hostile`], max_depth: 0, store_raw: isKept });
      tracked.length = 0;
      const { page } = browser;
      await signIn();
      await page.goto(`${service.origin}/jobs/${id}/pages?page=1&view=pick`);
      const shown = page.getByRole('table', { name: 'Values of the page' });
      await shown.getByText('<script>globalThis.pwned = true</script>').waitFor();
      const names = await shown
        .locator('*')
        .evaluateAll((all) => [
          ...new Set(all.flatMap((element) => [element.localName, ...element.getAttributeNames()])),
        ]);
      expect(names.join(' ')).not.toMatch(/\b(?:script|style|iframe|form|svg|img|video|a|href|src|on\w+)\b/);
      await shown.getByLabel('title', { exact: true }).check();
      const option = page.getByRole('region', { name: 'The option extract' });
      expect(JSON.parse(await option.innerText())).toEqual({ fields: { title: { css: 'h1' } } });
      expect(await seriousFindings(page)).toEqual([]);
      await sleep(300);
      expect(tracked).toEqual([]);
      expect(await page.evaluate(() => (globalThis as { pwned?: boolean }).pwned)).toBeUndefined();
      await page.setViewportSize({ width: 360, height: 720 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    },
  );

  test('dashboard: the values of a page of 100,000 elements are listed in part, and one is picked with the keyboard', async () => {
    const { page } = browser;
    const huge = await startScriptedSite((path) => {
      const rows = `<li class="item_a8f3"><b class="part" onclick="globalThis.pwned = true">${'x'.repeat(80)}</b></li>`;
      return path === '/'
        ? {
            headers: { 'content-type': 'text/html' },
            body: `<title>Huge</title><h1>Huge</h1><p class=weight>3 kg</p><ul>${rows.repeat(35_000)}</ul>${'<div><span>'.repeat(20_000)}`,
          }
        : undefined;
    });
    const { id } = await service.crawl({ urls: [`${huge.origin}/`], max_depth: 0 });
    await signIn();
    await page.goto(`${service.origin}/jobs/${id}/pages?page=1&view=pick`);
    await page.getByText('This page is long').waitFor();
    await page.getByLabel('weight', { exact: true }).focus();
    await page.keyboard.press('Space');
    const option = page.getByRole('region', { name: 'The option extract' });
    expect(JSON.parse(await option.innerText())).toEqual({ fields: { weight: { css: '.weight', type: 'number' } } });
    expect(await page.evaluate(() => (globalThis as { pwned?: boolean }).pwned)).toBeUndefined();
    await huge.close();
  });

  test('dashboard: shows how a page changed side by side, for a job and a schedule, with keys', async () => {
    const { page } = browser;
    const living = await startScriptedSite((path) => (path === '/robots.txt' ? undefined : texts[path]));
    const lines = Array.from({ length: 30 }, (_, at) => `Line ${at} of the farm.`);
    const farm = (title: string, ...changed: readonly string[]): Answer => ({
      headers: { 'content-type': 'text/html' },
      body: `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1><a href="/hay">hay</a> <a href="/straw">straw</a>${[
        changed[0],
        ...lines,
        changed[1],
      ]
        .map((text) => `<p>${text}</p>`)
        .join('')}</main></html>`,
    });
    const hostile = '<img src=x onerror=alert(1)>&lt;script&gt;alert(2)&lt;/script&gt;';
    const texts: Record<string, Answer> = {
      '/': farm('Home'),
      '/hay': farm('Hay', 'A bale costs 10 EUR.', `Open on Monday. ${hostile}`),
      '/straw': farm('Straw', 'Straw is yellow.', 'It is dry.'),
    };
    const urls = [`${living.origin}/hay`, `${living.origin}/straw`];
    const made = await service.api('/crawler/schedules', {
      json: { name: 'farm', cron: '0 3 * * *', job: { urls, max_depth: 0 } },
    });
    const { id: schedule } = (await made.json()) as { readonly id: string };
    const run = async (): Promise<string> => {
      const answer = await service.api(`/crawler/schedules/${schedule}/run`, { method: 'POST' });
      const { job } = (await answer.json()) as { readonly job: { readonly id: string } };
      return (await service.untilEnded(job.id)).id;
    };
    await run();
    texts['/hay'] = farm('Hay', 'A bale costs 12 EUR.', `Open on Tuesday. ${hostile}`);
    texts['/straw'] = farm('Straw', 'Straw is golden.', 'It is dry.');
    const job = await run();

    await signIn();
    await page.goto(`${service.origin}/jobs/${job}/changes`);
    await page.getByRole('button', { name: 'Compare' }).first().click();
    const diff = page.getByRole('region', { name: 'The difference' });
    await diff.getByRole('columnheader', { name: 'New' }).waitFor();
    const first = await diff.getByRole('link', { name: living.origin }).textContent();
    // The keys go through the pages that changed, there and back.
    await page.keyboard.press(first?.includes('/hay') === true ? 'j' : 'k');
    await diff.getByText('golden').waitFor();
    await page.keyboard.press(first?.includes('/hay') === true ? 'k' : 'j');
    await diff.locator('del', { hasText: '10' }).waitFor();
    expect(await diff.locator('del').allTextContents()).toEqual(['10', 'Monday']);
    expect(await diff.locator('ins').allTextContents()).toEqual(['12', 'Tuesday']);
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.keyboard.press('n');
    expect(await focused()).toContain('costs 12 EUR');
    await page.keyboard.press('n');
    expect(await focused()).toContain('Open on Tuesday');
    await page.keyboard.press('p');
    expect(await focused()).toContain('costs 12 EUR');
    expect(await diff.locator('img, script').count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 720 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.keyboard.press('Escape');
    await diff.waitFor({ state: 'detached' });

    await page.goto(`${service.origin}/schedules`);
    const row = page.getByRole('listitem').filter({ hasText: 'farm' });
    await row.getByRole('button', { name: 'Changed pages' }).click();
    const changed = row.getByRole('list', { name: 'Changed pages' }).getByRole('listitem');
    await changed.filter({ hasText: '/hay' }).getByRole('button', { name: 'Compare' }).click();
    await diff.locator('ins', { hasText: 'Tuesday' }).waitFor();
    expect(new URL(page.url()).searchParams.get('diff')).toBe(urls[0]);
    expect(await seriousFindings(page)).toEqual([]);
    // The address opens the same difference.
    await page.reload();
    await diff.locator('ins', { hasText: 'Tuesday' }).waitFor();

    // The newest run comes first, however much earlier ones have changed.
    texts['/straw'] = farm('Straw', 'Straw is silver.', 'It is dry.');
    const newest = await run();
    const read: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('/changes')) read.push(pathname);
    });
    await page.goto(`${service.origin}/schedules`);
    await row.getByRole('button', { name: 'Changed pages' }).click();
    await changed.first().waitFor();
    const order = await changed.getByRole('link').allTextContents();
    expect(order.map((url) => new URL(url).pathname)).toEqual(['/straw', '/hay']);
    expect(read).toEqual([`/crawler/jobs/${newest}/changes`, `/crawler/jobs/${job}/changes`]);
    await living.close();
  });

  test('text never becomes code, even through a fault of the dashboard', async () => {
    const { page } = browser;
    await signIn();
    const refused = await page.evaluate(() => {
      const tries: (() => void)[] = [
        () => (document.body.innerHTML = '<img src=x onerror="globalThis.pwned = true">'),
        () => document.body.insertAdjacentHTML('beforeend', '<b>x</b>'),
        () => {
          const script = document.createElement('script');
          script.text = 'globalThis.pwned = true';
          document.body.append(script);
        },
      ];
      return tries.map((run) => {
        try {
          run();
          return 'allowed';
        } catch (error) {
          return (error as Error).name;
        }
      });
    });
    expect(refused).toEqual(['TypeError', 'TypeError', 'TypeError']);
    (browser.violations as string[]).length = 0;
  });

  test('a session that ends shows the sign-in, and the same screen afterwards', async () => {
    const { page } = browser;
    await signIn();
    await page.goto(`${service.origin}/system`);
    await page.getByText('accepts work').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('API token').fill(service.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/webhooks');
  });

  test('a crawl that the command line stopped is no running one', async () => {
    const { page } = browser;
    const { id } = await service.ok<{ id: string }>('/crawler/jobs', {
      method: 'POST',
      json: { urls: [`${site.origin}/slow/5000`], page_limit: 1000 },
    });
    await service.stop();
    await service.changeDatabase(`UPDATE job SET stopped_at = 1 WHERE id = '${id}'`);
    await service.start();
    await signIn();
    await page.goto(`${service.origin}/jobs/${id}`);
    await page.locator('.badge-stopped').waitFor();
    expect(await page.locator('.badge-stopped').textContent()).toBe('Stopped');
    await service.ok(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
  });

  test('fits a width of 360 pixels', async () => {
    const { page } = browser;
    await signIn();
    await page.setViewportSize({ width: 360, height: 740 });
    const [job] = (await service.ok<{ data: { id: string }[] }>('/crawler/jobs')).data;
    for (const path of [
      '/',
      '/new',
      `/jobs/${job!.id}`,
      `/jobs/${job!.id}/pages?page=1`,
      `/jobs/${job!.id}/urls`,
      '/system',
      '/tokens',
      '/hosts',
    ]) {
      await page.goto(`${service.origin}${path}`);
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
    }
  });

  function hostilePage(): string {
    const leak = `http://127.0.0.1:${(tracker.address() as AddressInfo).port}`;
    return `<!doctype html><html><head><title>&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;alert(2)&lt;/script&gt;</title>
<meta http-equiv="refresh" content="60;url=${leak}/refresh"><link rel="preconnect" href="${leak}"><link rel="stylesheet" href="${leak}/style">
<style>@import "${leak}/import"; body { background: url(${leak}/background) }</style><base href="${leak}/"></head>
<body onload="globalThis.pwned = true"><h1 onclick="alert(3)" style="background: url(${leak}/inline)">Hostile</h1>
<p>Plain words of the page. ${paragraph}</p>
<p class="written">Written out: &lt;script&gt;globalThis.pwned = true&lt;/script&gt; &lt;img src="${leak}/written"&gt; &lt;iframe src="${leak}/frame"&gt;&lt;/iframe&gt;</p>
<p><a href="javascript:alert(4)">script link</a> <a href="data:text/html,&lt;script&gt;alert(5)&lt;/script&gt;">data link</a> <a href="vbscript:x">vb</a>
<a href="${leak}/link" target="_top" ping="${leak}/ping">a link</a> [x](javascript:alert(6)) ![y](${leak}/markdown) <${leak}/auto></p>
<p><img src="${leak}/image" srcset="${leak}/srcset 2x" alt="tracker" onerror="alert(7)"><picture><source srcset="${leak}/source"></picture></p>
<video src="${leak}/video" poster="${leak}/poster" autoplay></video><audio src="${leak}/audio" autoplay></audio>
<iframe src="${leak}/iframe" srcdoc="<script>parent.pwned = true</script>"></iframe><object data="${leak}/object"></object><embed src="${leak}/embed">
<svg onload="alert(8)"><image href="${leak}/svg"></image><script>alert(9)</script></svg><math><mtext><style><img src=x onerror=alert(10)></style></mtext></math>
<form action="${leak}/form"><input name="token" autofocus onfocus="alert(11)"><button formaction="${leak}/button">Sign in</button></form>
<table background="${leak}/table"><tr><td>cell</td></tr></table><script>alert(12)</script><noscript><img src="${leak}/noscript"></noscript>
<p>${paragraph}</p></body></html>`;
  }
});

async function expectCount(rows: Locator, count: number): Promise<void> {
  await expect.poll(() => rows.count()).toBe(count);
}

function expectNothing(violations: readonly string[], faults: readonly string[]): void {
  expect({ violations, faults }).toEqual({ violations: [], faults: [] });
}

function html(title: string, links: readonly string[]): Answer {
  return { headers: { 'content-type': 'text/html' }, body: page(title, links) };
}

function page(title: string, links: readonly string[]): string {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${title}: ${paragraph}</p><ul>${list}</ul></main></body></html>`;
}

function numbers(): number[] {
  return Array.from({ length: articles }, (_, index) => index + 1);
}
