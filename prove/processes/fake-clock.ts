// Another time of day than the machine's for one program, which can be set while it runs. What measures how time passes
// is left alone.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Undefined where libfaketime is not installed. */
export const fakeTimeLibrary = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/local/lib']
  .map((folder) => path.join(folder, 'faketime/libfaketimeMT.so.1'))
  .find((file) => existsSync(file));

export interface FakeClock {
  /** Of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** So many seconds off the machine's. */
  set(seconds: number): void;
}

/** `folder` must stay for as long as the program runs. */
export function fakeClock(folder: string, name = 'offset'): FakeClock {
  const file = path.join(folder, name);
  const set = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  set(0);
  if (fakeTimeLibrary === undefined) return { env: {}, set };
  return {
    env: {
      LD_PRELOAD: fakeTimeLibrary,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    },
    set,
  };
}
