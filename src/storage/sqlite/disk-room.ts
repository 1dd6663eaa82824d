import { statfsSync } from 'node:fs';

/** Watches how much room the disk of a directory has. */
export class DiskRoom {
  readonly #dir: string;
  readonly #freeMbMin: number;
  #isLow = false;

  /** `freeMbMin`: MiB that stay free; 0 takes no care. */
  constructor(dir: string, freeMbMin: number) {
    this.#dir = dir;
    this.#freeMbMin = freeMbMin;
  }

  /** Looks. What was low is so until a tenth more is free, so that it does not change with every page. */
  isLow(): boolean {
    if (this.#freeMbMin === 0) return false;
    const { bavail, bsize } = statfsSync(this.#dir);
    const freeMb = (bavail * bsize) / 2 ** 20;
    this.#isLow = freeMb < this.#freeMbMin * (this.#isLow ? 1.1 : 1);
    return this.#isLow;
  }
}
