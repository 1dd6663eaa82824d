import { randomBytes } from 'node:crypto';

/** Crockford's base 32, as in ULIDs. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeMax = 2 ** 48 - 1;

/** The time in the last id. Neither a clock that is set back nor two jobs in one millisecond may change the order. */
let lastTime = 0;

/**
 * Creates a ULID whose time runs backwards, so that ids sort newest first: 10 characters of time, 16 random ones. Each
 * id sorts before all earlier ids of the same process.
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

/** Returns the id in upper case, as it is stored. Text that is not an id in either case is returned unchanged. */
export function canonicalJobId(text: string): string {
  // Without the flag `u`, no character outside ASCII matches a letter.
  return /^[0-9A-HJKMNP-TV-Z]{26}$/i.test(text) ? text.toUpperCase() : text;
}

export function isJobId(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);
}
