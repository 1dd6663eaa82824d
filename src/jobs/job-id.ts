import { randomBytes } from 'node:crypto';

/** Crockford's base 32, as ULIDs use it. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeMax = 2 ** 48 - 1;

/** The time in the last id. A clock that is set back, or two jobs in one millisecond, must not change the order. */
let lastTime = 0;

/**
 * A ULID whose time runs backwards, so that ids sort newest first: 10 characters of time, 16 of chance. Each id of a process sorts
 * before all earlier ones of it.
 */
export function newJobId(now: number): string {
  lastTime = Math.max(now, lastTime + 1);
  let id = '';
  let time = timeMax - lastTime;
  for (let n = 0; n < 10; n++) {
    id = alphabet.charAt(time % 32) + id;
    time = Math.floor(time / 32);
  }
  for (const byte of randomBytes(16)) id += alphabet.charAt(byte % 32);
  return id;
}

export function isJobId(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);
}
