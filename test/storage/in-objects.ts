// Databases whose texts, raw bodies and screenshots are in objects, for contracts of what reads them.
import type { Store } from '../../src/core/ports/stores.ts';
import { ObjectMaintenance } from '../../src/storage/objects/maintain-objects.ts';
import { claimObjects } from '../../src/storage/objects/owner.ts';
import { SegmentReads } from '../../src/storage/objects/segment-reads.ts';
import { withObjects } from '../../src/storage/objects/with-objects.ts';
import { MemoryObjects } from '../objects/memory-objects.ts';
import type { OpenDatabase } from './test-data.ts';

/** A database that crawls, whose texts, raw bodies and screenshots are in `objects`. `plain`: without them. */
export async function openInObjects(
  createDatabase: () => Promise<OpenDatabase>,
  options: { readonly textsMin?: number } = {},
): Promise<{
  readonly database: OpenDatabase;
  readonly plain: Store;
  readonly objects: MemoryObjects;
  readonly store: Store;
}> {
  const database = await createDatabase();
  const plain = await database.open({ crawling: true });
  const objects = new MemoryObjects();
  await claimObjects(objects, plain.objects);
  const store = withObjects(plain, objects, { keptMs: 0, ...options });
  await store.frontier.recover({ delayMs: 0 });
  return { database, plain, objects, store };
}

/** `withTexts`: texts too, however few they are. */
export function inObjects(
  createDatabase: () => Promise<OpenDatabase>,
  { withTexts = true }: { readonly withTexts?: boolean } = {},
): () => Promise<OpenDatabase> {
  return async () => {
    const database = await createDatabase();
    const objects = new MemoryObjects();
    return {
      ...database,
      open: async (options) => {
        const store = await database.open(options);
        await claimObjects(objects, store.objects);
        if (!withTexts) return withObjects(store, objects, { keptMs: 0 });
        return movedBeforeReads(withObjects(store, objects, { keptMs: 0, textsMin: 0 }), objects);
      },
    };
  };
}

/** Texts of ended jobs are moved before each read. */
function movedBeforeReads(store: Store, objects: MemoryObjects): Store {
  const reads = new SegmentReads(objects);
  const maintenance = new ObjectMaintenance({
    objects,
    rows: store.objects,
    reads,
    keptMs: 0,
    textsMin: 0,
    log: undefined,
  });
  const moved = async (): Promise<void> => {
    while (await maintenance.step(Date.now()));
  };
  return {
    ...store,
    pages: { ...store.pages, read: (query) => moved().then(() => store.pages.read(query)) },
    changes: { ...store.changes, texts: (query) => moved().then(() => store.changes.texts(query)) },
    search: { ...store.search, search: (query) => moved().then(() => store.search.search(query)) },
  };
}
