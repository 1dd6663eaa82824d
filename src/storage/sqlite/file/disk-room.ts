import { statfsSync } from 'node:fs';

/** Watches the free space on the disk of a directory. */
export class DiskRoom {
  readonly #dir: string;
  readonly #freeMbMin: number;
  #isLow = false;

  /** `freeMbMin`: MiB that must stay free; 0 disables the check. */
  constructor(dir: string, freeMbMin: number) {
    this.#dir = dir;
    this.#freeMbMin = freeMbMin;
  }

  /** Checks the disk. Low stays low until a tenth more is free, so that the result does not change with every page. */
  isLow(): boolean {
    if (this.#freeMbMin === 0) return false;
    const { bavail, bsize } = statfsSync(this.#dir);
    const freeMb = (bavail * bsize) / 2 ** 20;
    this.#isLow = freeMb < this.#freeMbMin * (this.#isLow ? 1.1 : 1);
    return this.#isLow;
  }
}
