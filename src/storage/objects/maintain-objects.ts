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
    const move = await rows.nextMove(gatheredBytesMax);
    if (move && (await this.#move(move))) return true;
    await rows.markDead(newMs);
    const lost = await rows.lost(0);
    if (lost.length > 0) {
      await this.#refuseOthers();
      await this.#parts.objects.delete(lost);
      await rows.forget(await rows.lost(lostMs));
    }
    const dead = await rows.dead(keptMs);
    if (dead.length > 0) {
      await this.#refuseOthers();
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
    // A job that was deleted meanwhile is left out the next time.
    if ((await rows.register(name, all.length, move.jobs)).length > 0) return true;
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
    if (!(await isOwner(objects, rows)))
      throw new ObjectStoreError('refused', `Another database has adopted ${objects.place}: nothing in it is deleted.`);
  }
}
