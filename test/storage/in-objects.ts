// Databases whose raw bodies and screenshots are in objects, for contracts of what reads them.
import { withObjects } from '../../src/storage/objects/with-objects.ts';
import { claimObjects } from '../../src/storage/objects/owner.ts';
import { MemoryObjects } from '../objects/memory-objects.ts';
import type { OpenDatabase } from './test-data.ts';

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
