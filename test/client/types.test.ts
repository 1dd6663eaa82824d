// What compilers see of the client: the record of a page has the type that the `extract` of the call says. `npm test` compiles
// this file; run, it shows that types are all there is to it.
import { expect, expectTypeOf, test } from 'vitest';
import type { Hayrake, AnyRecord, Job, Page, Price, RecordOf, Rules } from '../../packages/client/index.ts';

const url = 'https://shop.example/';
/** Calls are compiled, and never made. */
function compiled(call: (client: Hayrake) => Promise<unknown>): unknown {
  return call;
}

test('client: a record has the fields that places say, each of them null where the page has none', () => {
  const call = compiled(async (client) => {
    const job = await client.crawl(url, {
      include_globs: ['/products/**'],
      extract: {
        fields: {
          title: { css: 'h1' },
          price: [
            { css: '.price', type: 'price' },
            { label: 'Price', type: 'price' },
          ],
          stock: { css: '.stock', type: 'boolean', map: { 'In stock': true } },
          tags: { css: '.tag', list: true },
          reviews: { css: '.review', list: true, fields: { by: { css: 'b' }, stars: { css: 'i', type: 'integer' } } },
        },
      },
    });
    await client.wait(job, { onProgress: ({ progress }) => expect(progress.scraped).toBeGreaterThan(0) });
    for await (const { extracted, text } of client.pages(job)) {
      expectTypeOf(text).toEqualTypeOf<string>();
      expectTypeOf(extracted).toEqualTypeOf<
        | {
            readonly title: string | null;
            readonly price: Price | null;
            readonly stock: boolean | null;
            readonly tags: readonly string[] | null;
            readonly reviews: readonly { readonly by: string | null; readonly stars: number | null }[] | null;
          }
        | null
        | undefined
      >();
    }
  });
  expect(call).toBeTypeOf('function');
});

test('client: a record has the fields that a JSON schema names, and those that `fields` gives it', () => {
  const extract = {
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        rating: { type: ['number', 'null'] },
        pages: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        size: { enum: ['S', 'M', 'L'] },
        authors: { type: 'array', items: { type: 'string' } },
        offer: { type: 'object', properties: { amount: { type: 'number' }, currency: { type: 'string' } } },
        maker: { type: 'object', properties: { city: { type: 'string' } } },
        weight: { type: 'number' },
        sold: { type: 'string' },
      },
      required: ['name'],
    },
    fields: { weight: { label: 'Weight' }, sold: { label: 'Sold', type: 'integer' }, extra: { css: '.extra' } },
  } as const;
  interface Expected {
    readonly name: string | null;
    readonly rating: number | null;
    readonly pages: number | null;
    readonly size: 'S' | 'M' | 'L' | null;
    readonly authors: readonly string[] | null;
    readonly offer: Price | null;
    readonly maker: { readonly city: string | null } | null;
    readonly weight: number | null;
    readonly sold: number | null;
    readonly extra: string | null;
  }
  expectTypeOf<RecordOf<typeof extract>>().branded.toEqualTypeOf<Expected>();
  const call = compiled(async (client) => {
    const answer = await client.scrape(url, { extract });
    if (answer.status === 'scraped')
      expectTypeOf(answer.extracted).branded.toEqualTypeOf<Expected | null | undefined>();
    const batch = await client.batch([url], { extract });
    expectTypeOf(client.pages(batch)).toEqualTypeOf<AsyncGenerator<Page<RecordOf<typeof extract>>, void, undefined>>();
    const again = await client.reextract(batch, { extract });
    expectTypeOf(again).toEqualTypeOf<Job<RecordOf<typeof extract>>>();
    expectTypeOf(await client.job(again)).toEqualTypeOf<Job<RecordOf<typeof extract>>>();
  });
  expect(call).toBeTypeOf('function');
});

test('client: a record is unknown when the call does not say what is in it', () => {
  interface Product {
    readonly name: string;
  }
  const call = compiled(async (client) => {
    const job = await client.crawl(url);
    for await (const page of client.pages(job))
      expectTypeOf(page.extracted).toEqualTypeOf<AnyRecord | null | undefined>();
    for await (const page of client.pages('7ZSA4YN8XEM0V3T2K9QJ5RCWBD'))
      expectTypeOf(page.extracted).toEqualTypeOf<AnyRecord | null | undefined>();
    for await (const page of client.pages<Product>(job.id))
      expectTypeOf(page.extracted).toEqualTypeOf<Product | null | undefined>();
    const rules: Rules = await client.rules(job);
    const next = await client.crawl(url, { extract: { fields: rules.fields } });
    for await (const page of client.pages(next))
      expectTypeOf(page.extracted).toEqualTypeOf<AnyRecord | null | undefined>();
    const things = await client.crawl(url, { extract: { declared_things: true } });
    for await (const page of client.pages(things))
      expectTypeOf(page.extracted).toEqualTypeOf<AnyRecord | null | undefined>();
    await client.cancel(next);
    const { extract } = job;
    if (extract) await client.crawl(undefined, { since: job.id, extract });
  });
  expect(call).toBeTypeOf('function');
});

test('client: mistakes in `extract` do not compile', () => {
  const call = compiled(async (client) => {
    // @ts-expect-error There is no such property of a place.
    await client.crawl(url, { extract: { fields: { title: { csss: 'h1' } } } });
    // @ts-expect-error There is no such type.
    await client.crawl(url, { extract: { fields: { title: { css: 'h1', type: 'money' } } } });
    // @ts-expect-error It is a list.
    await client.batch([url], { extract: { fields: {}, when: '/products/**' } });
  });
  expect(call).toBeTypeOf('function');
});
