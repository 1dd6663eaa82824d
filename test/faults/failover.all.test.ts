// PostgreSQL dies, and another one that followed it takes its place: the crawl waits and goes on by itself.
import { expect, test } from 'vitest';
import { startRelay } from '../../prove/processes/relay.ts';
import { codesOf } from '../e2e/ledger.ts';
import { createDatabase } from '../postgres/database.ts';
import { startPostgres } from '../postgres/server.ts';
import { postgresMissing } from '../postgres/test-database.ts';
import { postgresStore } from '../service/test-store.ts';
import { afterTest, expectWholeCrawl, startCrawl, untilRefused } from './crawl.ts';

const missing = await postgresMissing();

test.skipIf(missing !== undefined)(
  'fails over to its standby in mid-crawl: every page once (needs PostgreSQL)',
  async () => {
    const primary = await startPostgres();
    afterTest(() => primary.remove());
    const standby = await primary.startStandby();
    afterTest(() => standby.remove());
    const relay = await startRelay(primary.port);
    afterTest(() => relay.close());
    const url = new URL((await createDatabase(primary.url())).url);
    url.port = String(relay.port);

    const crawl = await startCrawl(400, { store: postgresStore('/nowhere', url.href), delayMs: 50 });
    const { service, site, id } = crawl;
    const slice = async (query: string) =>
      service.ok<{ data: { readonly meta: { readonly url: string } }[]; cursor: string }>(
        `/crawler/jobs/${id}/data?limit=10${query}`,
      );
    const first = await slice('');
    const second = await slice(`&cursor=${first.cursor}`);
    // As long as it was then; more may have come since.
    const secondAgain = async () => (await slice(`&cursor=${first.cursor}`)).data.slice(0, second.data.length);

    await primary.stop('immediate');
    relay.to(standby.port);
    // What can be read is read from the one that follows; nothing can be written there.
    await untilRefused(crawl);
    expect(await secondAgain()).toEqual(second.data);
    await standby.promote();

    await site.morePages(50);
    await expect.poll(async () => (await service.api('/readyz')).status, { timeout: 60_000 }).toBe(200);
    await expectWholeCrawl(crawl);
    expect(codesOf(await service.job(id))).toEqual([]);
    expect(await secondAgain()).toEqual(second.data);
  },
);
