// V8 lets the young generation of each thread grow to 128 MiB, nearly all of it garbage, before it looks for what is alive.
// With a main thread, a writer and a converter for each processor, that was most of the memory of a crawl: a job of 100,000
// small pages took 504 MiB at most (`npm run prove -- --only largeJob`), and takes 381 with these limits. Smaller ones cost speed:
// half of them takes a tenth to a fifth of the pages a second (`node bench/main-job.ts`).
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Of a thread that is started later, as V8 counts it: a third of its young generation. */
const semiSpaceMb = 8;
/** Of this thread; what it needs to load the program says nothing of what it needs later. */
const mainBytesMax = 24 * 2 ** 20;
const loadingMs = 100;
const lookEveryMs = 20;

/** To be called once, before the program is loaded and any thread is started. */
export function limitYoungGenerations(): void {
  setFlagsFromString(`--max-semi-space-size=${semiSpaceMb}`);
  // From the start, since below all growing ends at once.
  setFlagsFromString(`--min-semi-space-size=${semiSpaceMb}`);
  // What survives a few times is else made among the old ones: the nodes of a large page, which are garbage once it is converted.
  setFlagsFromString('--no-allocation-site-pretenuring');
  setGrowth(1);
  setTimeout(growToLimit, loadingMs).unref();
}

function growToLimit(): void {
  setGrowth(2);
  const looking = setInterval(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (space !== undefined && space.space_size < mainBytesMax) return;
    setGrowth(1);
    clearInterval(looking);
  }, lookEveryMs);
  looking.unref();
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
