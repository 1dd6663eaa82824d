// What is done with objects besides storing and reading them: segments of ended jobs are gathered, and objects that no
// job names are deleted.
import type { Log } from '../../core/ports/log.ts';
import {
  type ObjectStore,
  ObjectStoreError,
  type SegmentMove,
  type SegmentObjects,
} from '../../core/ports/object-store.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import { textIn, textsBytesMin, textSegments } from '../rules/pages/text-parts.ts';
import { isOwner } from './owner.ts';
import { joined, newObjectName, segmentsFolder } from './segment-writer.ts';
import { keyOf, type SegmentReads } from './segment-reads.ts';

/** Of an object with the segments of one job. */
const gatheredBytesMax = 8 * 2 ** 20;
const dayMs = 86_400_000;
/** How long a lost object is deleted again and again: the PUT of a process that died can still be under way. */
const lostMs = 10 * 60_000;

export interface MaintenanceParts {
  readonly objects: ObjectStore;
  readonly rows: SegmentObjects;
  readonly reads: SegmentReads;
  /** How long an object outlives the last row that names it. */
  readonly keptMs: number;
  /** How long an object may wait for its first commit. @default a day */
  readonly newMs?: number;
  /** Packed texts of a job that stay in the database. @default 256 KiB */
  readonly textsMin?: number;
  readonly log: Log | undefined;
}

/** Each step is small. An interrupted one leaves an object that no row names, which a later step deletes. */
export class ObjectMaintenance {
  readonly #parts: MaintenanceParts;
  #listedAt = Number.NEGATIVE_INFINITY;
  #isAway = false;

  constructor(parts: MaintenanceParts) {
    this.#parts = parts;
  }

  /** Does one step; returns true if more is to be done. While the object store is away, it is done later. */
  async step(now: number): Promise<boolean> {
    const { log } = this.#parts;
    try {
      const more = await this.#next(now);
      this.#isAway = false;
      return more;
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
      if (!this.#isAway) log?.error('objects without a name are deleted later', { error: error.message });
      this.#isAway = true;
      return false;
    }
  }

  async #next(now: number): Promise<boolean> {
    const { rows, newMs = dayMs, keptMs } = this.#parts;
    if (await this.#moveTexts()) return true;
    const move = await rows.nextMove(gatheredBytesMax);
    if (move && (await this.#move(move))) return true;
    await rows.markDead(newMs);
    const lost = await rows.lost(0);
    if (lost.length > 0) {
      await this.#refuseOthers();
      // mutant lost-objects-kept, promise 3: without it; sqlite/special-contracts "that a killed process"
      await this.#parts.objects.delete(lost);
      await rows.forget(await rows.lost(lostMs));
    }
    const dead = await rows.dead(keptMs);
    if (dead.length > 0) {
      await this.#refuseOthers();
      // mutant dead-objects-kept, promise 3: without it; sqlite/special-contracts "leaves nothing of a deleted job in any object"
      await this.#parts.objects.delete(dead);
      failPoint('object.deleted');
      await rows.forget(dead);
      return true;
    }
    if (now - this.#listedAt >= dayMs) {
      await this.#deleteUnknown();
      this.#listedAt = now;
    }
    return false;
  }

  /** Returns false if there are none to move. */
  async #moveTexts(): Promise<boolean> {
    const { objects, rows, reads, log, textsMin = textsBytesMin } = this.#parts;
    if (await rows.keepSmallTexts(textsMin)) return true;
    const found = await rows.nextTexts(gatheredBytesMax);
    if (!found) return false;
    const read = await reads.read(found.segments);
    const segments = found.segments.filter((segment) => read.has(keyOf(segment)));
    const lost = found.segments.filter((segment) => !read.has(keyOf(segment)));
    const [missing] = lost;
    if (missing)
      log?.error('an object with texts is missing: `hayrake check` names the pages', { object: missing.object });
    const packed = found.texts.flatMap((part) => {
      const text = textIn(part, part.place && read.get(keyOf(part.place.segment)));
      return text ? [{ page: part.ofPage, checksum: part.checksum ?? 0, deflated: text.deflated }] : [];
    });
    const move = { ...found, segments, lost, texts: [] };
    if (packed.length === 0) {
      await rows.placeTexts(move, undefined);
      return true;
    }
    const bytes = joined(packed.map(({ deflated }) => deflated));
    const name = newObjectName();
    const gone = await rows.register(name, bytes.length, [found.jobId]);
    // The texts of a job that was deleted meanwhile stay where they are. Those that others name are moved.
    if (gone.length > 0 && found.looked) return true;
    failPoint('texts.registered');
    // mutant unacknowledged-texts, promise 3: `await objects.put(name, bytes)` -> `void objects.put(name, bytes).catch(() => {})`; sqlite/special-contracts "while the object store is away"
    await objects.put(name, bytes);
    failPoint('texts.stored');
    const isPlaced = await rows.placeTexts(move, { object: name, segments: textSegments(packed) });
    failPoint('texts.placed');
    if (!isPlaced) await objects.delete([name]);
    return true;
  }

  /** Returns false if a segment is lost: then the rest stays where it is. */
  async #move(move: SegmentMove): Promise<boolean> {
    const { objects, rows, reads, log } = this.#parts;
    const bytes = await reads.read(move.segments);
    const parts = move.segments.flatMap((segment) => bytes.get(keyOf(segment)) ?? []);
    if (parts.length < move.segments.length) {
      const lost = move.segments.find((segment) => !bytes.has(keyOf(segment)));
      log?.error('an object with raw bodies or screenshots is missing: `hayrake check` names the pages', {
        object: lost?.object,
      });
      return false;
    }
    const name = newObjectName();
    const all = joined(parts);
    // A job that was deleted meanwhile is left out the next time. Texts of such a job are there for others.
    if ((await rows.register(name, all.length, move.jobs)).length > 0 && !move.isOfTexts) return true;
    await objects.put(name, all);
    failPoint('object.gathered');
    if (!(await rows.areAlive([name]))) {
      await objects.delete([name]);
      return true;
    }
    let at = 0;
    const places = parts.map(({ length: size }) => {
      const place = { object: name, at, size };
      at += size;
      return place;
    });
    await rows.move(name, move, places);
    return true;
  }

  /** Objects that were stored after their row was removed, or by what a restored backup does not know. */
  async #deleteUnknown(): Promise<void> {
    const { objects, rows, keptMs } = this.#parts;
    await this.#refuseOthers();
    for await (const { objects: listed, now } of objects.list(segmentsFolder)) {
      const old = listed.filter(({ modifiedAt }) => modifiedAt <= now - Math.max(keptMs, dayMs));
      const known = new Set(await rows.known(old.map(({ name }) => name)));
      await objects.delete(old.map(({ name }) => name).filter((name) => !known.has(name)));
    }
  }

  /** Another database can have adopted the objects meanwhile. */
  async #refuseOthers(): Promise<void> {
    const { objects, rows } = this.#parts;
    // mutant objects-of-others-deleted, promise 3: `!(await isOwner(objects, rows))` -> `false`; sqlite/special-contracts "none of another database"
    if (!(await isOwner(objects, rows)))
      throw new ObjectStoreError('refused', `Another database has adopted ${objects.place}: nothing in it is deleted.`);
  }
}
