// Databases whose raw bodies and screenshots are in objects, for contracts of what reads them.
import type { Store } from '../../src/core/ports/stores.ts';
import { claimObjects } from '../../src/storage/objects/owner.ts';
import { withObjects } from '../../src/storage/objects/with-objects.ts';
import { MemoryObjects } from '../objects/memory-objects.ts';
import type { OpenDatabase } from './test-data.ts';

/** A database that crawls, whose raw bodies and screenshots are in `objects`. `plain`: without them. */
export async function openInObjects(createDatabase: () => Promise<OpenDatabase>): Promise<{
  readonly database: OpenDatabase;
  readonly plain: Store;
  readonly objects: MemoryObjects;
  readonly store: Store;
}> {
  const database = await createDatabase();
  const plain = await database.open({ crawling: true });
  const objects = new MemoryObjects();
  await claimObjects(objects, plain.objects);
  const store = withObjects(plain, objects, { keptMs: 0 });
  await store.frontier.recover({ delayMs: 0 });
  return { database, plain, objects, store };
}

export function inObjects(createDatabase: () => Promise<OpenDatabase>): () => Promise<OpenDatabase> {
  return async () => {
    const database = await createDatabase();
    const objects = new MemoryObjects();
    return {
      ...database,
      open: async (options) => {
        const store = await database.open(options);
        await claimObjects(objects, store.objects);
        return withObjects(store, objects, { keptMs: 0 });
      },
    };
  };
}
