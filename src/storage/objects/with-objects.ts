// A store whose raw bodies and screenshots are in objects outside the database.
import { forwardFrontier } from '../../core/forward-frontier.ts';
import type { PageRecord, PlacedScreenshot, Screenshot } from '../../core/page.ts';
import type { Segment, SegmentPlace } from '../../core/ports/blobs.ts';
import type { Erasure } from '../../core/ports/erasures.ts';
import type { Settlement } from '../../core/ports/frontier.ts';
import type { Log } from '../../core/ports/log.ts';
import type { ObjectStore } from '../../core/ports/object-store.ts';
import type { Store } from '../../core/ports/stores.ts';
import { fetched, screenshotChecksum } from '../rules/pages/screenshots.ts';
import type { ObjectsClaim } from './claim.ts';
import { ObjectMaintenance } from './maintain-objects.ts';
import { ObjectsHealth } from './objects-health.ts';
import { keyOf, SegmentReads } from './segment-reads.ts';
import { SegmentWriter } from './segment-writer.ts';

export interface WithObjectsOptions {
  readonly keptMs: number;
  readonly newMs?: number;
  readonly log?: Log;
  /** In a process that crawls. */
  readonly claim?: ObjectsClaim;
}

export function withObjects(store: Store, objects: ObjectStore, { log, claim, ...times }: WithObjectsOptions): Store {
  const { frontier, pages, blobs, erasures, objects: rows } = store;
  const writer = new SegmentWriter({ objects, rows, log, claim });
  const reads = new SegmentReads(objects);
  const health = new ObjectsHealth(objects);
  const maintenance = new ObjectMaintenance({ objects, rows, reads, log, ...times });
  const failure = new AbortController();
  claim?.done.catch((error: unknown) => {
    if (!claim.isStopped) failure.abort(error);
  });
  const stopWaiting = (): void => {
    claim?.stop();
    writer.stopWaiting();
  };
  return {
    ...store,
    failed: AbortSignal.any([store.failed, failure.signal]),
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
            if (await rows.areAlive(names)) throw error;
          }
        }
      },
    },
    pages: {
      ...pages,
      screenshot: async (query) => {
        for (let tries = 0; ; tries++) {
          const found = await pages.screenshot(query);
          if (!found?.placed) return found;
          const bytes = (await reads.read([found.placed.place])).get(keyOf(found.placed.place));
          // Without bytes it was moved to another object meanwhile, or it is lost.
          if (bytes || tries > 0) return { areResultsGone: false, screenshot: fetched(found.placed, bytes) };
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
      if (claim?.isDone === false) return swept;
      return swept.more ? swept : { ...swept, more: await maintenance.step(now ?? Date.now()) };
    },
    stopWaiting: () => {
      stopWaiting();
      store.stopWaiting();
    },
    close: async () => {
      stopWaiting();
      await store.close();
      await objects.close();
    },
  };
}

/** Takes the segments of a page that will be erased into the database, which changes them there. */
async function takeIn(
  { jobs, objects: rows }: Store,
  reads: SegmentReads,
  { org, jobId, page }: Erasure,
): Promise<void> {
  const job = await jobs.get(org, jobId);
  if (!job || job.areResultsGone) return;
  for (;;) {
    const segment = await rows.segmentOf(jobId, page);
    if (!segment) return;
    // One that is lost is empty, and so has nothing of the page.
    const bytes = (await reads.read([segment])).get(keyOf(segment)) ?? new Uint8Array();
    await rows.takeIn(segment, bytes);
  }
}

/** The segments and screenshots of settlements are stored, and named by their places. */
async function outside(writer: SegmentWriter, settlements: readonly Settlement[]): Promise<readonly Settlement[]> {
  const jobs = new Map<Part, string>();
  for (const one of settlements) for (const part of partsOf(pageOf(one))) jobs.set(part, one.request.jobId);
  if (jobs.size === 0) return settlements;
  const placed = await writer.place([...jobs].map(([{ bytes }, jobId]) => ({ bytes, jobId })));
  const outsideOf = new Map<Part, Segment | PlacedScreenshot>();
  for (const [index, part] of [...jobs.keys()].entries()) {
    const place = placed[index];
    if (place) outsideOf.set(part, placedPart(part, place));
  }
  return settlements.map((settlement) => {
    const { outcome } = settlement;
    if (outcome.kind !== 'scraped' || partsOf(outcome.page).length === 0) return settlement;
    return { ...settlement, outcome: { ...outcome, page: placedPage(outcome.page, outsideOf) } };
  });
}

type Part = Segment | Screenshot;

/** Made once: the pages of a segment know it by its identity. */
function placedPart(part: Part, place: SegmentPlace): Segment | PlacedScreenshot {
  if ('type' in part) return { type: part.type, crc: screenshotChecksum(part), place };
  return { bytes: new Uint8Array(), length: part.length, place };
}

function placedPage(page: PageRecord, outsideOf: ReadonlyMap<Part, Segment | PlacedScreenshot>): PageRecord {
  const { screenshot, rawSlice, ...rest } = page;
  const picture = screenshot && outsideOf.get(screenshot);
  const segment = rawSlice && outsideOf.get(rawSlice.segment);
  return {
    ...rest,
    ...(screenshot && (picture && 'type' in picture ? { placedScreenshot: picture } : { screenshot })),
    ...(rawSlice && { rawSlice: segment && 'length' in segment ? { ...rawSlice, segment } : rawSlice }),
  };
}

function partsOf(page: PageRecord | undefined): readonly Part[] {
  const parts = [page?.rawSlice?.segment, page?.screenshot];
  return parts.filter((part) => part !== undefined);
}

function pageOf({ outcome }: Settlement): PageRecord | undefined {
  return outcome.kind === 'scraped' ? outcome.page : undefined;
}

function objectsOf(settlements: readonly Settlement[]): readonly string[] {
  const pages = settlements.map(pageOf);
  const places = pages.flatMap((page) => [page?.rawSlice?.segment.place, page?.placedScreenshot?.place]);
  return [...new Set(places.flatMap((place) => place?.object ?? []))];
}
