// Compares the objects that the database names with those that are there, and reads all of them.
import type { CheckedObjects, Damage } from '../../core/ports/check.ts';
import type { JobOutside, ObjectStore } from '../../core/ports/object-store.ts';
import type { Store } from '../../core/ports/stores.ts';
import { isErasedSlice, SegmentReader } from '../../page/raw-segments.ts';
import { segmentsFolder } from './segment-writer.ts';

const pagesPerRead = 200;
const bytesPerRead = 4 * 2 ** 20;

/** `store`: with the objects behind its blobs and pages. Damaged raw bodies and screenshots are added to `damage`, unless it is undefined. */
export async function checkObjects(
  store: Pick<Store, 'objects' | 'blobs' | 'pages'>,
  objects: ObjectStore,
  damage: Damage | undefined,
): Promise<CheckedObjects> {
  const there = new Map<string, number>();
  let unnamed = 0;
  for await (const { objects: listed } of objects.list(segmentsFolder)) {
    for (const { name, bytes } of listed) there.set(name, bytes);
    unnamed += listed.length - (await store.objects.known(listed.map(({ name }) => name))).length;
  }
  let [count, missing] = [0, 0];
  for (let after = ''; ;) {
    const live = await store.objects.live(after);
    count += live.length;
    missing += live.filter(({ name, bytes }) => there.get(name) !== bytes).length;
    const last = live.at(-1);
    if (!last) break;
    after = last.name;
  }
  if (damage) for (const job of await store.objects.jobsOutside()) await checkJob(store, job, damage);
  return { objects: count, missing, unnamed };
}

async function checkJob(
  { blobs, pages: pictureStore }: Pick<Store, 'blobs' | 'pages'>,
  { id, org, pages, pictures }: JobOutside,
  damage: Damage,
): Promise<void> {
  for (let after = 0; after < pages;) {
    const found = await blobs.readRaw({ org, jobId: id, after, limit: pagesPerRead, bytesMax: bytesPerRead });
    if (!found || found.areResultsGone) return;
    const reader = new SegmentReader(found.segments);
    for (const slice of found.slices)
      if (!isErasedSlice(slice) && !(await reader.read(slice)))
        damage.add({ job: id, page: slice.page, part: 'raw body' });
    after = Math.max(found.upTo, after + 1);
  }
  for (const page of pictures) {
    const found = await pictureStore.screenshot({ org, jobId: id, page });
    if (found?.screenshot === 'damaged') damage.add({ job: id, page, part: 'screenshot' });
  }
}
