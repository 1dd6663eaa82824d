// V8 lets the young generation of each thread grow to 128 MiB, nearly all of it garbage, before it looks for what is alive.
// With a main thread, a writer and a converter for each processor, that was most of the memory of a crawl: a job of 100,000
// small pages took 504 MiB at most, and takes 392 with these limits, at the same speed (`npm run prove -- --only largeJob`).
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Of a thread that is started later, as V8 counts it: a third of its young generation. */
const semiSpaceMb = 4;
/** Of this thread, which has begun to grow already. */
const mainBytesMax = 12 * 2 ** 20;
const lookEveryMs = 10;

/** To be called once, before any thread is started. */
export function limitYoungGenerations(): void {
  setFlagsFromString(`--max-semi-space-size=${semiSpaceMb}`);
  // From the start, since below all growing ends at once.
  setFlagsFromString(`--min-semi-space-size=${semiSpaceMb}`);
  const looking = setInterval(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (space !== undefined && space.space_size < mainBytesMax) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(looking);
  }, lookEveryMs);
  looking.unref();
}
