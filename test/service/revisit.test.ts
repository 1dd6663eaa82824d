// `trust_lastmod`: which pages of an earlier job go without a request, and what that can lose.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDatedSite } from './dated-site.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: '5' } });
});
afterAll(() => service.close());

const crawl = (body: Readonly<Record<string, unknown>>): Promise<JobAnswer> => service.crawl(body);
const trusting = (since: string, more: Readonly<Record<string, unknown>> = {}): Promise<JobAnswer> =>
  crawl({ since, trust_lastmod: true, ...more });
const codesOf = ({ findings, notices }: JobAnswer): string[] => [...findings, ...notices].map(({ code }) => code);
const changesOf = (job: JobAnswer): Readonly<Record<string, number>> => job['changes'] as Record<string, number>;

interface Meta {
  readonly url: string;
  readonly meta: { readonly change?: string; readonly evidence?: string };
}

async function metasOf(id: string, of = service): Promise<readonly Meta[]> {
  const { data } = await of.ok<{ data: readonly { readonly meta: Meta }[] }>(`/crawler/jobs/${id}/meta?limit=400`);
  return data.map(({ meta }) => meta);
}
/** How many pages are unchanged by each evidence. */
async function evidenceOf(id: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { meta } of await metasOf(id)) {
    const name = meta.evidence ?? 'none';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Numbers from one to below another. */
const from = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, index) => start + index);
const pages = 200;

describe.concurrent('revisit', () => {
  test('does not ask for pages whose lastmod stands still once the site has told the truth, and does again once it lies', async () => {
    const site = await startDatedSite(pages);
    const one = await crawl({ urls: [`${site.origin}/`] });
    expect(one.progress.scraped).toBe(pages + 1);
    site.change(from(0, 25), { isDated: true });
    site.asked();
    const two = await trusting(one.id);
    expect(site.asked()).toHaveLength(pages + 1);
    expect(changesOf(two)).toMatchObject({ changed: 25, unchanged: pages - 24 });

    site.change(from(50, 60), { isDated: true });
    const three = await trusting(two.id);
    const asked = site.asked();
    expect(asked).toEqual(expect.arrayContaining(['/', ...from(50, 60).map((page) => `/${page}`)]));
    // A test of one page in three.
    expect(asked.length).toBeGreaterThan(pages / 5);
    expect(asked.length).toBeLessThan(pages / 2);
    expect(three).toMatchObject({ complete: true, findings: [], notices: [] });
    expect(three.progress.scraped).toBe(pages + 1);
    expect(changesOf(three)).toEqual({ added: 0, changed: 10, moved: 0, unchanged: pages - 9, removed: 0, unknown: 0 });
    expect(await evidenceOf(three.id)).toEqual({
      lastmod: pages + 1 - asked.length,
      304: asked.length - 11,
      // A page that changed back to what it was.
      bytes: 1,
      hash: 10,
    });
    const skipped = (await metasOf(three.id)).find(({ meta }) => meta.evidence === 'lastmod');
    const { body } = await service.raw(`/crawler/jobs/${three.id}/changes?change=unchanged&limit=250`);
    expect(body.toString()).toContain(skipped?.url);

    // Another sample each time.
    site.change([199], { isDated: true });
    const four = await trusting(three.id);
    expect(site.asked().toSorted()).not.toEqual(asked.toSorted());

    site.change(from(0, pages - 1), { isDated: false });
    site.change([199], { isDated: true });
    const five = await trusting(four.id);
    // Fewer than all, although it asks for the rest once it has seen a lie.
    expect(site.asked().length).toBeLessThan(pages);
    expect(five.complete).toBe(false);
    expect(codesOf(five)).toEqual(expect.arrayContaining(['lastmod_untrue']));
    const six = await trusting(five.id);
    expect(site.asked()).toHaveLength(pages + 1);
    expect((changesOf(five)['changed'] ?? 0) + (changesOf(six)['changed'] ?? 0)).toBe(pages);
    expect(six.findings).toEqual([]);
    // Nor is it trusted in the next ones.
    await trusting(six.id);
    expect(site.asked()).toHaveLength(pages + 1);
  });

  test('asks for every page of a site whose lastmod always stays the same', async () => {
    const site = await startDatedSite(120);
    let last = await crawl({ urls: [`${site.origin}/`], trust_lastmod: true });
    last = await trusting(last.id);
    site.asked();
    for (const page of [3, 70]) {
      site.change([page], { isDated: false });
      last = await trusting(last.id);
      expect(site.asked()).toHaveLength(121);
      expect(changesOf(last)).toMatchObject({ changed: 1, unchanged: 120 });
      expect(last).toMatchObject({ complete: true, findings: [] });
      expect(codesOf(last)).toContain('lastmod_ignored');
    }
  });

  test('asks for every page when nothing else is said, or other options make the pages', async () => {
    const site = await startDatedSite(pages);
    const one = await crawl({ urls: [`${site.origin}/`], trust_lastmod: true });
    site.change(from(0, 30), { isDated: true });
    const two = await trusting(one.id);
    site.asked();
    const three = await crawl({ since: two.id, trust_lastmod: false });
    expect(site.asked()).toHaveLength(pages + 1);
    const other = await trusting(two.id, { content: 'full' });
    expect(site.asked()).toHaveLength(pages + 1);
    expect([three, other].map(({ complete }) => complete)).toEqual([true, true]);
    site.change([199], { isDated: true });
    await trusting(two.id);
    expect(site.asked().length).toBeLessThan(pages / 2);
  });

  test('tests more of a site in whose sitemap nothing moves any more', async () => {
    const site = await startDatedSite(400);
    let last = await crawl({ urls: [`${site.origin}/`] });
    site.asked();
    const asked: number[] = [];
    for (const changed of [30, 5, 0, 0]) {
      if (changed > 0) site.change(from(0, changed), { isDated: true });
      last = await trusting(last.id);
      asked.push(site.asked().length);
    }
    const [all, some, many, few] = asked;
    expect(all).toBe(401);
    // One in seven, all, one in eight.
    expect([some, few]).toEqual([expect.toSatisfy((pages) => pages < 100), expect.toSatisfy((pages) => pages < 100)]);
    expect(many).toBe(401);
  });

  test('delivers no page that was not asked for with `deliver: changed`, and knows it in the next job', async () => {
    const site = await startDatedSite(pages);
    const one = await crawl({ urls: [`${site.origin}/`] });
    site.change(from(0, 25), { isDated: true });
    const two = await trusting(one.id);
    site.change([198], { isDated: true });
    const three = await trusting(two.id, { deliver: 'changed' });
    expect(three.progress).toMatchObject({ scraped: 1, discarded: pages });
    expect(changesOf(three)).toMatchObject({ changed: 1, unchanged: pages, unknown: 0 });
    site.change([199], { isDated: true });
    const four = await trusting(three.id, { deliver: 'changed' });
    expect(changesOf(four)).toMatchObject({ changed: 1, unchanged: pages, unknown: 0 });
    expect((await metasOf(four.id)).map(({ url }) => new URL(url).pathname)).toEqual(['/199']);
  });

  test('passes from run to run of a schedule', async () => {
    const site = await startDatedSite(pages);
    const job = { urls: [`${site.origin}/`], trust_lastmod: true };
    const schedule = { name: 'nightly', cron: '0 3 1 1 *', job };
    const made = await service.api('/crawler/schedules', { json: schedule });
    const { id } = (await made.json()) as { id: string };
    const asked: number[] = [];
    for (const changed of [0, 25, 5]) {
      if (changed > 0) site.change(from(0, changed), { isDated: true });
      site.asked();
      const begun = await service.api(`/crawler/schedules/${id}/run`, { method: 'POST' });
      const { job: run } = (await begun.json()) as { job: JobAnswer };
      const ended = await service.untilEnded(run.id);
      expect(ended).toMatchObject({ complete: true, trust_lastmod: true });
      expect(changesOf(ended)).toMatchObject({ changed, unknown: 0 });
      asked.push(site.asked().length);
    }
    expect(asked).toEqual([pages + 1, pages + 1, expect.toSatisfy((count: number) => count < pages / 2)]);
  });

  test('waits with pages for the sitemap', async () => {
    const site = await startDatedSite(pages);
    const one = await crawl({ urls: [`${site.origin}/`] });
    site.change(from(0, 30), { isDated: true });
    const two = await trusting(one.id);
    site.asked();
    site.change([199], { isDated: true });
    const gate = site.hold('/sitemap.xml');
    const three = trusting(two.id);
    await gate.reached;
    await sleep(500);
    expect(site.asked()).toEqual([]);
    gate.open();
    expect(await three).toMatchObject({ complete: true });
    expect(site.asked().length).toBeLessThan(pages / 2);
  });
});

test('tells each page once, and forgets nothing of the host, when the process is killed in the middle', async () => {
  const mortal = await startService();
  const site = await startDatedSite(350);
  try {
    const one = await mortal.crawl({ urls: [`${site.origin}/`] });
    site.change(from(0, 25), { isDated: true });
    const two = await mortal.crawl({ since: one.id, trust_lastmod: true });
    site.change(from(0, 10), { isDated: true });
    site.asked();
    const gate = site.hold('/0');
    const { id } = await mortal.createJob({ since: two.id, trust_lastmod: true });
    for (const scraped of [40, 120, 200]) {
      await expect.poll(async () => (await mortal.job(id)).progress.scraped).toBeGreaterThan(scraped);
      await mortal.kill();
      await mortal.start();
    }
    gate.open();
    const three = await mortal.untilEnded(id);
    expect(three).toMatchObject({ complete: true, findings: [] });
    expect(changesOf(three)).toEqual({ added: 0, changed: 10, moved: 0, unchanged: 341, removed: 0, unknown: 0 });
    const metas = await metasOf(id, mortal);
    expect(new Set(metas.map(({ url }) => url)).size).toBe(351);
    const asked = new Set(site.asked());
    const unasked = metas.filter(({ meta }) => meta.evidence === 'lastmod');
    expect(unasked.length).toBeGreaterThan(200);
    expect(unasked.filter(({ url }) => asked.has(new URL(url).pathname))).toEqual([]);
    // It is trusted still.
    site.change([349], { isDated: true });
    const four = await mortal.crawl({ since: id, trust_lastmod: true });
    expect(site.asked().length).toBeLessThan(150);
    expect(changesOf(four)).toMatchObject({ changed: 1, unchanged: 350 });
  } finally {
    await mortal.close();
  }
});
