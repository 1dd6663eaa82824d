// Packs the raw bodies of a settlement before the store gets it, off the main thread.
import { forwardFrontier } from '../core/forward-frontier.ts';
import type { Frontier, Settlement } from '../core/ports/frontier.ts';
import { packRawPages } from '../page/raw-segments.ts';

/** A frontier that takes raw bodies as the converter gives them. */
export function packingRawPages(frontier: Frontier): Frontier {
  return {
    ...forwardFrontier(frontier),
    settle: (lease, settlements, ...rest) => {
      const withRaw = settlements.filter(({ outcome }) => outcome.kind === 'scraped' && outcome.page.raw);
      if (withRaw.length === 0) return frontier.settle(lease, settlements, ...rest);
      return packed(settlements, withRaw).then((replaced) => frontier.settle(lease, replaced, ...rest));
    },
  };
}

/** The pages of a job share segments, and no page of another job is in them: they are removed with it. */
async function packed(
  settlements: readonly Settlement[],
  withRaw: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const replaced = new Map<Settlement, Settlement>();
  for (const ofJob of Map.groupBy(withRaw, ({ request }) => request.jobId).values()) {
    const raws = ofJob.flatMap(({ outcome }) => (outcome.kind === 'scraped' ? (outcome.page.raw ?? []) : []));
    const slices = await packRawPages(raws);
    for (const [index, settlement] of ofJob.entries()) {
      const { outcome } = settlement;
      const rawSlice = slices[index];
      if (outcome.kind !== 'scraped' || !rawSlice) continue;
      const { raw: _, ...page } = outcome.page;
      replaced.set(settlement, { ...settlement, outcome: { ...outcome, page: { ...page, rawSlice } } });
    }
  }
  return settlements.map((settlement) => replaced.get(settlement) ?? settlement);
}
