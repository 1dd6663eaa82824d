// A store whose raw bodies are in objects outside the database.
import { forwardFrontier } from '../../core/forward-frontier.ts';
import type { Segment, StoredSlice } from '../../core/ports/blobs.ts';
import type { Erasure } from '../../core/ports/erasures.ts';
import type { Settlement } from '../../core/ports/frontier.ts';
import type { Log } from '../../core/ports/log.ts';
import type { ObjectStore } from '../../core/ports/object-store.ts';
import type { Store } from '../../core/ports/stores.ts';
import { ObjectMaintenance } from './maintain-objects.ts';
import { ObjectsHealth } from './objects-health.ts';
import { keyOf, SegmentReads } from './segment-reads.ts';
import { SegmentWriter } from './segment-writer.ts';

export interface WithObjectsOptions {
  readonly keptMs: number;
  readonly newMs?: number;
  readonly log?: Log;
}

export function withObjects(store: Store, objects: ObjectStore, { log, ...times }: WithObjectsOptions): Store {
  const { frontier, blobs, erasures, objects: rows } = store;
  const writer = new SegmentWriter({ objects, rows, log });
  const reads = new SegmentReads(objects);
  const health = new ObjectsHealth(objects);
  const maintenance = new ObjectMaintenance({ objects, rows, reads, log, ...times });
  return {
    ...store,
    frontier: {
      ...forwardFrontier(frontier),
      settle: async (lease, settlements, ...rest) => {
        for (;;) {
          const placed = await outside(writer, settlements);
          const names = objectsOf(placed);
          if (names.length === 0) return frontier.settle(lease, placed, ...rest);
          try {
            return await frontier.settle(lease, placed, ...rest);
          } catch (error) {
            // The sweeper marked the object dead, because this process was stopped for too long after the PUT.
            // mutant dead-object-not-stored-again, promise 3: `await rows.areAlive(names)` -> `true`; sqlite/special-contracts "between PUT and commit"
            if (await rows.areAlive(names)) throw error;
          }
        }
      },
    },
    blobs: {
      readRaw: async (query) => {
        const found = await blobs.readRaw(query);
        if (!found) return found;
        const read = await reads.filled(found);
        if (!read.isMissing) return read.found;
        // Its segments were moved to another object meanwhile, or they are lost.
        const again = await blobs.readRaw(query);
        return again && (await reads.filled(again)).found;
      },
    },
    erasures: {
      erase: async (erasure, now) => {
        await takeIn(store, reads, erasure);
        return erasures.erase(erasure, now);
      },
    },
    objectsProblem: async () => writer.problem ?? health.problem(),
    sweep: async (now) => {
      const swept = await store.sweep(now);
      return swept.more ? swept : { ...swept, more: await maintenance.step(now ?? Date.now()) };
    },
    stopWaiting: () => {
      writer.stopWaiting();
      store.stopWaiting();
    },
    close: async () => {
      writer.stopWaiting();
      await store.close();
      await objects.close();
    },
  };
}

/** Takes the segment of a page that will be erased into the database, which changes it there. */
async function takeIn(
  { jobs, objects: rows }: Store,
  reads: SegmentReads,
  { org, jobId, page }: Erasure,
): Promise<void> {
  const job = await jobs.get(org, jobId);
  if (!job || job.areResultsGone) return;
  const { of = jobId, page: only = 1 } = job.spec.reextract ?? {};
  for (;;) {
    const segment = await rows.segmentOf(of, only + page - 1);
    if (!segment) return;
    // One that is lost is empty, and so has nothing of the page.
    const bytes = (await reads.read([segment])).get(keyOf(segment)) ?? new Uint8Array();
    if (await rows.takeIn(segment, bytes)) return;
  }
}

/** The segments of settlements are stored, and named by their places. */
async function outside(writer: SegmentWriter, settlements: readonly Settlement[]): Promise<readonly Settlement[]> {
  const segments = [...new Set(settlements.flatMap((one) => sliceOf(one)?.segment ?? []))];
  if (segments.length === 0) return settlements;
  const places = await writer.place(segments);
  const placed = new Map<Segment, Segment | undefined>(segments.map((segment, index) => [segment, places[index]]));
  return settlements.map((settlement) => {
    const { outcome } = settlement;
    const slice = sliceOf(settlement);
    const segment = slice && placed.get(slice.segment);
    if (outcome.kind !== 'scraped' || !slice || !segment) return settlement;
    return { ...settlement, outcome: { ...outcome, page: { ...outcome.page, rawSlice: { ...slice, segment } } } };
  });
}

function sliceOf({ outcome }: Settlement): StoredSlice | undefined {
  return outcome.kind === 'scraped' ? outcome.page.rawSlice : undefined;
}

function objectsOf(settlements: readonly Settlement[]): readonly string[] {
  return [...new Set(settlements.flatMap((one) => sliceOf(one)?.segment.place?.object ?? []))];
}
