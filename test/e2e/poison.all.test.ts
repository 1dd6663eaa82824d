// A page that kills the process: it is found out, given up, and no other page pays for it.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { endingsOf } from './ledger.ts';
import { after, numbered, page, ScriptedSites } from './scripted-site.ts';

/** Twice with others, since it is not known which of them it was; then three times with nothing else in flight. */
const deathsMax = 5;

const sites = new ScriptedSites();
const services: TestService[] = [];
afterAll(async () => {
  for (const service of services) await service.close();
  await sites.close();
});

test(`fails after at most ${deathsMax} deaths; every other page is there once, and the job succeeds`, async () => {
  const paths = numbered(30);
  let open = 0;
  const openAtDeath: number[] = [];
  const site = await sites.start((path) => {
    if (path === '/deadly') {
      return () => {
        openAtDeath.push(open);
        process.kill(service.pid!, 'SIGKILL');
      };
    }
    if (path !== '/' && !paths.includes(path)) return undefined;
    const answer = after(40, page(path, path === '/' ? ['/p/1', '/p/2', '/deadly', ...paths] : []));
    return (request, response) => {
      open++;
      response.once('close', () => open--);
      if (typeof answer === 'function') answer(request, response);
    };
  });
  const service = await startService();
  services.push(service);
  const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });

  let job: JobAnswer | undefined;
  for (let restarts = 0; job === undefined && restarts <= deathsMax; restarts++) {
    job = await service.untilEnded(id).catch(() => undefined);
    if (job !== undefined) break;
    await service.exited;
    await service.start();
  }

  expect(job).toMatchObject({
    status: 'succeeded',
    progress: { discovered: 32, scraped: 31, discarded: 0, failed: 1 },
    reasons: { poison: 1 },
  });
  expect(site.asks('/deadly')).toBe(deathsMax);
  expect(openAtDeath.slice(2)).toEqual([0, 0, 0]);
  expect(await endingsOf(service, id)).toMatchObject({ '/deadly': 'poison' });
  const { data } = await service.ok<{ readonly data: readonly { readonly meta: { readonly url: string } }[] }>(
    `/crawler/jobs/${id}/meta`,
  );
  expect(data.map(({ meta }) => new URL(meta.url).pathname).toSorted()).toEqual(['/', ...paths].toSorted());
});

test('next to 500 good pages costs one death more, and the good pages continue while suspects are tried', async () => {
  const paths = ['/', ...numbered(49)];
  const openSuspects = new Set<string>();
  let [openSlow, deaths, trials, idleTrials, goodAsked, goodMeanwhile] = [0, 0, 0, 0, 0, 0];
  const good = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      sites.start((path) => {
        if (!paths.includes(path)) return undefined;
        goodAsked++;
        if (openSuspects.size > 0) goodMeanwhile++;
        // Most of them are left when suspects are tried.
        return after(
          deaths < 2 && path !== '/' ? 3_000 : 20,
          page(`${index}${path}`, path === '/' ? paths.slice(1) : []),
        );
      }),
    ),
  );
  const slow = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      sites.start((path, asks) => {
        if (path !== '/slow') return undefined;
        // It was in flight at the first two deaths, so from then on it is a suspect.
        const isSuspect = asks > 2;
        return (_request, response) => {
          openSlow++;
          const goodBefore = goodMeanwhile;
          if (isSuspect) openSuspects.add(`${index}`);
          response.once('close', () => {
            openSlow--;
            if (!openSuspects.delete(`${index}`)) return;
            trials++;
            if (goodMeanwhile === goodBefore) idleTrials++;
          });
          // Before, it does not end until the service dies.
          if (isSuspect)
            setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page(path)), 3_000);
        };
      }),
    ),
  );
  const deadly = await sites.start((path, asks) => {
    if (path !== '/deadly') return undefined;
    return () => {
      const until = performance.now() + (asks > 2 ? 500 : 20_000);
      const kill = setInterval(() => {
        const areOut = openSlow === slow.length && goodAsked >= 20;
        if (!areOut && performance.now() < until) return;
        clearInterval(kill);
        deaths++;
        process.kill(service.pid!, 'SIGKILL');
      }, 10);
    };
  });
  const service = await startService({ env: { HAYRAKE_HOST_DELAY_MS: '500' } });
  services.push(service);
  const urls = [
    `${deadly.origin}/deadly`,
    ...slow.map(({ origin }) => `${origin}/slow`),
    ...good.map(({ origin }) => `${origin}/`),
  ];
  const { id } = await service.createJob({ urls, force_crawling_mode: 'link' });

  let job: JobAnswer | undefined;
  for (let restarts = 0; job === undefined && restarts <= deathsMax + 1; restarts++) {
    job = await service.untilEnded(id).catch(() => undefined);
    if (job !== undefined) break;
    await service.exited;
    await service.start();
  }

  console.info(JSON.stringify({ deaths, trials, idleTrials, goodMeanwhile }));
  expect(job).toMatchObject({
    status: 'succeeded',
    progress: { scraped: 506, discarded: 0, failed: 1 },
    reasons: { poison: 1 },
  });
  expect(deaths).toBeLessThanOrEqual(deathsMax + 1);
  expect(await endingsOf(service, id)).toMatchObject({ '/deadly': 'poison' });
  expect(trials).toBeGreaterThan(0);
  expect(goodMeanwhile).toBeGreaterThan(0);
});

/** The first is nobody's fault yet; after it whatever kills while it is converted kills another process. A slow machine may need one more. */
const deathsOfConversionMax = 2;

test.each([3, 24])(
  '%i pages that kill what converts them cost few deaths of the service, and no other page',
  async (count) => {
    const paths = numbered(20);
    const deadly = Array.from({ length: count }, (_, index) => `/deadly/${index}`);
    const site = await sites.start((asked) => {
      if (asked === '/') return page(asked, [...paths.slice(0, 5), ...deadly, ...paths]);
      return paths.includes(asked) || deadly.includes(asked) ? after(20, page(asked, [])) : undefined;
    });
    const preload = path.join(import.meta.dirname, '../faults/deadly-pages.ts');
    const service = await startService({ env: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` } });
    services.push(service);
    const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });

    let job: JobAnswer | undefined;
    let deaths = 0;
    while (job === undefined && deaths <= deathsOfConversionMax) {
      job = await service.untilEnded(id).catch(() => undefined);
      if (job !== undefined) break;
      deaths++;
      await service.exited;
      await service.start();
    }

    expect(deaths).toBeGreaterThan(0);
    expect(job).toMatchObject({
      status: 'succeeded',
      progress: { scraped: 21, discarded: 0, failed: count },
      reasons: { parse_crashed: count },
    });
  },
);
