// The stored row of a screenshot: the same in every store. One in an object has a row without bytes, and a segment of its
// own, whose number is that of its page, negated.
import { crc32 } from 'node:zlib';
import type { PlacedScreenshot, Screenshot } from '../../../core/page.ts';
import type { FoundScreenshot } from '../../../core/ports/stores.ts';

/** Screenshots removed in one step. Each is up to 10 MiB. */
export const screenshotsPerStep = 20;

export interface ScreenshotRow {
  readonly type: unknown;
  readonly bytes: unknown;
  readonly crc: unknown;
}

/** With its place in an object; null if the row has the bytes. */
export interface PlacedRow extends ScreenshotRow {
  readonly object: string | null;
  readonly object_at: number | null;
  readonly size: number | null;
}

export function screenshotChecksum({ type, bytes }: Screenshot): number {
  return crc32(bytes, crc32(type));
}

/** Returns `damaged` if the row differs from what was stored. */
export function screenshotIn({ type, bytes, crc }: ScreenshotRow): Screenshot | 'damaged' {
  if (!isType(type) || !(bytes instanceof Uint8Array)) return 'damaged';
  const screenshot = { type, bytes } as const;
  return screenshotChecksum(screenshot) === crc ? screenshot : 'damaged';
}

/** The screenshot, or its place. */
export function foundIn(row: PlacedRow): Pick<FoundScreenshot, 'screenshot' | 'placed'> {
  const { type, crc, object, object_at: at, size } = row;
  if (object === null) return { screenshot: screenshotIn(row) };
  if (!isType(type) || typeof crc !== 'number') return { screenshot: 'damaged' };
  return { placed: { type, crc, place: { object, at: at ?? 0, size: size ?? 0 } } };
}

/** `bytes`: undefined if its object is lost. */
export function fetched({ type, crc }: PlacedScreenshot, bytes: Uint8Array | undefined): Screenshot | 'damaged' {
  return screenshotIn({ type, bytes, crc });
}

function isType(type: unknown): type is Screenshot['type'] {
  return type === 'image/png' || type === 'image/jpeg';
}
