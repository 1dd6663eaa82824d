// The stored row of a screenshot: the same in every store.
import { crc32 } from 'node:zlib';
import type { Screenshot } from '../../../core/page.ts';

/** Screenshots removed in one step. Each is up to 10 MiB. */
export const screenshotsPerStep = 20;

export interface ScreenshotRow {
  readonly type: unknown;
  readonly bytes: unknown;
  readonly crc: unknown;
}

export function screenshotChecksum({ type, bytes }: Screenshot): number {
  return crc32(bytes, crc32(type));
}

/** Returns `damaged` if the row differs from what was stored. */
export function screenshotIn({ type, bytes, crc }: ScreenshotRow): Screenshot | 'damaged' {
  if ((type !== 'image/png' && type !== 'image/jpeg') || !(bytes instanceof Uint8Array)) return 'damaged';
  const screenshot = { type, bytes } as const;
  return screenshotChecksum(screenshot) === crc ? screenshot : 'damaged';
}
