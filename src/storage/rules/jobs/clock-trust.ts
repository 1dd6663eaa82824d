// Decides if the clock can be trusted before expired data is deleted. Otherwise a clock that is ahead once, at one
// start, would delete results that had days left.
//
//   trusted  ──more than a day ahead of the last record──►  doubted  ──agrees for an hour, or is set right──►  trusted
//
// A clock that is set back is trusted at once: it deletes less. When it is set forward again, that step is doubted.
//
// A service that was off for a month looks the same as a clock that is a month ahead: it deletes an hour later.

/** What a store keeps about the clock from one process to the next. Milliseconds since the epoch. */
export interface ClockRecord {
  /** The time when the clock was last trusted, to the hour. */
  readonly seen: number;
  /** The time that it showed when it was first doubted; null while it is trusted. */
  readonly doubted: number | null;
}

export interface ClockVerdict {
  /** Data that expired by this time can be deleted. It is the current time, or the last time that was trusted. */
  readonly deleteUpTo: number;
  /** How far the clock is ahead of the last record, while it is doubted. */
  readonly doubtedByMs?: number;
  /** The record to store now. Undefined if it did not change. */
  readonly changed?: ClockRecord;
}

interface Reading {
  readonly now: number;
  readonly monotonic: number;
}

/** A larger step needs an hour of agreement. Smaller steps, such as a wrong time zone, are trusted. */
const stepMaxMs = 24 * 3_600_000;
const agreementMs = 3_600_000;
/** How far clock and monotonic time can drift apart in that hour. */
const driftMaxMs = 60_000;
/** How often the record is stored: one commit an hour. */
const storeEveryMs = 3_600_000;

/** Judges the clock for one process. Time of day and monotonic time are arguments. */
export class ClockTrust {
  #believed: Reading | undefined;
  #doubted: Reading | undefined;

  judge(record: ClockRecord, now: number, monotonic: number): ClockVerdict {
    const isNear = now - record.seen <= stepMaxMs || aheadOf(this.#believed, { now, monotonic }) <= stepMaxMs;
    if (isNear || this.#hasAgreed(now, monotonic)) return this.#believe(record, now, monotonic);
    // Short-lived processes, such as `hayrake crawl`, never see an hour of agreement. But if an earlier process noted
    // the doubted time, and the clock has since moved on from it by an hour, that time was right.
    const { doubted } = record;
    const isConfirmed = this.#doubted === undefined && doubted !== null && now - doubted >= agreementMs;
    const seen = isConfirmed ? doubted : record.seen;
    if (now - seen <= stepMaxMs) return this.#believe(record, now, monotonic);
    if (!isSteady(this.#doubted, { now, monotonic })) this.#doubted = { now, monotonic };
    const isEarlier = doubted !== null && now < doubted;
    const noted: ClockRecord = { seen, doubted: doubted === null || isConfirmed || isEarlier ? now : doubted };
    return {
      deleteUpTo: seen,
      doubtedByMs: now - seen,
      ...(noted.seen !== record.seen || noted.doubted !== doubted ? { changed: noted } : {}),
    };
  }

  #believe(record: ClockRecord, now: number, monotonic: number): ClockVerdict {
    this.#believed = { now, monotonic };
    this.#doubted = undefined;
    const isOld = record.doubted !== null || Math.abs(now - record.seen) >= storeEveryMs;
    return { deleteUpTo: now, ...(isOld && { changed: { seen: now, doubted: null } }) };
  }

  #hasAgreed(now: number, monotonic: number): boolean {
    const doubted = this.#doubted;
    if (!doubted || monotonic - doubted.monotonic < agreementMs) return false;
    return isSteady(doubted, { now, monotonic });
  }
}

/** True if clock and monotonic time advanced by the same amount, except for the drift. */
function isSteady(from: Reading | undefined, to: Reading): boolean {
  return Math.abs(aheadOf(from, to)) <= driftMaxMs;
}

/** How much more the clock advanced than monotonic time. */
function aheadOf(from: Reading | undefined, to: Reading): number {
  return from === undefined ? Number.POSITIVE_INFINITY : to.now - from.now - (to.monotonic - from.monotonic);
}

/** The name of the setting in which a store keeps the record. */
export const clockSetting = 'clock';

export function clockRecordBytes(record: ClockRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

/** Undefined if there is no valid record. The caller then makes a new one, which delays deletion by at most an hour. */
export function clockRecordOf(bytes: Uint8Array | undefined): ClockRecord | undefined {
  const [, seen, doubted] =
    /^\{"seen":(\d{1,15}),"doubted":(null|\d{1,15})\}$/.exec(Buffer.from(bytes ?? []).toString()) ?? [];
  if (seen === undefined || doubted === undefined) return undefined;
  return { seen: Number(seen), doubted: doubted === 'null' ? null : Number(doubted) };
}
