// Whether the time of day may be believed when it comes to deleting what has expired. A clock that is ahead once, at one
// start, would otherwise delete results that had days to go.
//
//   believed  ──more than a day ahead of what was seen last──►  doubted  ──agrees for an hour, or is set right──►  believed
//
// A clock that is set back is believed at once: it deletes less, and when it is set forward again, that is doubted.
//
// A service that was switched off for a month looks the same as a clock that is a month ahead: it deletes an hour later.

/** What a store keeps of the clock from one process to the next. Milliseconds since the epoch. */
export interface ClockRecord {
  /** What the clock showed when it was last believed, to the hour. */
  readonly seen: number;
  /** What it showed when it was first doubted; null while it is believed. */
  readonly doubted: number | null;
}

export interface ClockVerdict {
  /** What has expired by then may be deleted: now, or the last time that was believed. */
  readonly deleteUpTo: number;
  /** By how much the clock is ahead of what was seen last, while it is doubted. */
  readonly doubtedByMs?: number;
  /** What is to be stored now. Undefined where it is as it was. */
  readonly changed?: ClockRecord;
}

interface Reading {
  readonly now: number;
  readonly monotonic: number;
}

/** A larger step is one that needs an hour of agreement. Smaller ones, such as of a time zone set wrong, are believed. */
const stepMaxMs = 24 * 3_600_000;
const agreementMs = 3_600_000;
/** Clock and monotonic time may drift apart by so much in that hour. */
const driftMaxMs = 60_000;
/** What was seen is stored so often: a commit an hour. */
const storeEveryMs = 3_600_000;

/** Judges the clock for one process. Time of day and monotonic time are arguments. */
export class ClockTrust {
  #believed: Reading | undefined;
  #doubted: Reading | undefined;

  judge(record: ClockRecord, now: number, monotonic: number): ClockVerdict {
    const isNear = now - record.seen <= stepMaxMs || aheadOf(this.#believed, { now, monotonic }) <= stepMaxMs;
    if (isNear || this.#hasAgreed(now, monotonic)) return this.#believe(record, now, monotonic);
    // Processes that live for minutes only, such as `hayrake crawl`, never agree for an hour. But a clock that an earlier one
    // read, and that has gone on from there, was right then.
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

/** Whether as much time has passed by the clock as by monotonic time, except for the drift. */
function isSteady(from: Reading | undefined, to: Reading): boolean {
  return Math.abs(aheadOf(from, to)) <= driftMaxMs;
}

/** By how much more time has passed by the clock than by monotonic time. */
function aheadOf(from: Reading | undefined, to: Reading): number {
  return from === undefined ? Number.POSITIVE_INFINITY : to.now - from.now - (to.monotonic - from.monotonic);
}

/** The name of the setting in which a store keeps the record. */
export const clockSetting = 'clock';

export function clockRecordBytes(record: ClockRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

/** Undefined if there is no record yet, or the stored value is not one. The caller then makes a new record, which costs an hour at most. */
export function clockRecordOf(bytes: Uint8Array | undefined): ClockRecord | undefined {
  const [, seen, doubted] =
    /^\{"seen":(\d{1,15}),"doubted":(null|\d{1,15})\}$/.exec(Buffer.from(bytes ?? []).toString()) ?? [];
  if (seen === undefined || doubted === undefined) return undefined;
  return { seen: Number(seen), doubted: doubted === 'null' ? null : Number(doubted) };
}
