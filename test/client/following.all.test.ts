// Every client that reads a crawl while it runs gets each page once and in order, wherever connections are cut, and whenever the
// service is killed.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { Hayrake } from '../../packages/client/index.ts';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { operatorToken, startService, type TestService } from '../service/start-service.ts';
import { type Front, startFront } from './front.ts';
import { python, pythonWithHttpx, runPython } from './python.ts';

const pages = 200;
const kills = 2;
/** A page is some 500 bytes, so that most responses do not pass whole. */
const cutBytesMax = 12_000;

type Numbers = readonly number[];
/** Creates a job for a site, follows it and returns the numbers of its pages and URLs as they came. */
type Follow = (
  front: Front,
  site: string,
) => Promise<{ readonly id: string; readonly pages: Numbers; readonly metas: Numbers }>;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const inTypeScript: Follow = async ({ origin }, site) => {
  const client = new Hayrake({ url: origin, token: operatorToken });
  const { id } = await client.crawl(`${site}/`);
  const read: { pages: number[]; metas: number[] } = { pages: [], metas: [] };
  await Promise.all([
    (async () => {
      for await (const { meta } of client.pages(id)) read.pages.push(meta.page);
    })(),
    (async () => {
      for await (const { meta } of client.metas(id, { fields: ['title'], limit: 7 })) read.metas.push(meta.page);
    })(),
  ]);
  return { id, ...read };
};

const followInPython =
  (program: string, script: string): Follow =>
  (front, site) =>
    runPython(program, script, {
      args: [`${site}/`],
      env: { HAYRAKE_URL: front.origin, HAYRAKE_TOKEN: operatorToken },
    });

const inPython = followInPython(
  python ?? '',
  `
import json, sys, threading
from hayrake import Hayrake
with Hayrake() as client:
    job = client.crawl(sys.argv[1])
    read = {"id": job["id"], "pages": [], "metas": []}
    def metas():
        with Hayrake() as other:
            for row in other.metas(job, fields=["title"], limit=7):
                read["metas"].append(row["meta"]["page"])
    thread = threading.Thread(target=metas)
    thread.start()
    for row in client.pages(job):
        read["pages"].append(row["meta"]["page"])
    thread.join()
    print(json.dumps(read))
`,
);

const inPythonAsync = followInPython(
  pythonWithHttpx ?? '',
  `
import asyncio, json, sys
from hayrake.aio import AsyncHayrake
async def main():
    async with AsyncHayrake() as client:
        job = await client.crawl(sys.argv[1])
        async def pages():
            return [row["meta"]["page"] async for row in client.pages(job)]
        async def metas():
            return [row["meta"]["page"] async for row in client.metas(job, fields=["title"], limit=7)]
        read = await asyncio.gather(pages(), metas())
        print(json.dumps({"id": job["id"], "pages": read[0], "metas": read[1]}))
asyncio.run(main())
`,
);

async function expectToFollow(follow: Follow): Promise<void> {
  const { site, service } = await start();
  let connections = 0;
  // The first one creates the job, which a client does not repeat by itself.
  const cutAfter = (): number => (connections++ === 0 ? cutBytesMax : randomInt(1, cutBytesMax));
  const front = await startFront({ port: () => service.port, cutAfter });
  cleanups.push(() => front.close());
  const following = follow(front, site.origin);
  const killing = (async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill++) {
      await site.morePagesOrAll(randomInt(10, 60));
      await sleep(randomInt(20));
      await service.kill();
      await service.start();
    }
  })();
  const [read] = await Promise.all([following, killing]);
  const expected = Array.from({ length: pages }, (_, index) => index + 1);
  expect(read.pages).toEqual(expected);
  expect(read.metas).toEqual(expected);
  const { data } = await service.ok<{ data: readonly { meta: { url: string } }[] }>(
    `/crawler/jobs/${read.id}/meta?limit=150`,
  );
  expect(data).toHaveLength(150);
  expect(front.cuts).toBeGreaterThan(2 * kills);
}

async function start(): Promise<{ readonly site: GeneratedSite; readonly service: TestService }> {
  const site = await startGeneratedSite({ pages, delayMs: 15 });
  cleanups.push(() => site.close());
  const service = await startService({ env: { HAYRAKE_HOST_CONCURRENCY: '4' } });
  cleanups.push(() => service.close());
  return { site, service };
}

describe(`${pages} pages are followed live, cut at any byte, with ${kills} times SIGKILL: each comes once, in order`, () => {
  test('in TypeScript', () => expectToFollow(inTypeScript));
  test.skipIf(python === undefined)('in Python (needs python3)', () => expectToFollow(inPython));
  test.skipIf(pythonWithHttpx === undefined)('in Python with asyncio (needs python3-httpx)', () =>
    expectToFollow(inPythonAsync),
  );
});
