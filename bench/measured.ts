// What is measured of a program while it crawls: CPU time and memory of all its processes, and how long it takes.
import { type Usage, usageOf, usageUnlessEnded } from './process-usage.ts';

/** From the order to crawl to the last page. */
export interface Measured {
  readonly seconds: number;
  readonly cpuMs: number;
  readonly peakRssBytes: number;
}

/** `crawl` resolves to the seconds that it took, and the processes below `pid` are looked at until then. */
export async function measureProcess(pid: number, crawl: () => Promise<number>): Promise<Measured> {
  const before = usageOf(pid);
  let peakRssBytes = 0;
  const keepPeak = (usage: Usage): void => {
    peakRssBytes = Math.max(peakRssBytes, usage.peakRssBytes);
  };
  // A process that ends takes its peak with it; until then Linux keeps it, so that looking seldom is enough.
  const timer = setInterval(() => keepPeak(usageUnlessEnded(pid)), 100);
  try {
    const seconds = await crawl();
    const after = usageOf(pid);
    keepPeak(after);
    return { seconds, cpuMs: after.cpuMs - before.cpuMs, peakRssBytes };
  } finally {
    clearInterval(timer);
  }
}
