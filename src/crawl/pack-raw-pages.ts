import type { Settlement } from '../core/ports/frontier.ts';
import { packRawPages } from '../page/raw-segments.ts';

/** Packs the raw bodies of a settlement before the store gets it, off the main thread. */
export function withPackedRaw(
  settlements: readonly Settlement[],
): readonly Settlement[] | Promise<readonly Settlement[]> {
  const withRaw = settlements.filter(({ outcome }) => outcome.kind === 'scraped' && outcome.page.raw);
  return withRaw.length === 0 ? settlements : packed(settlements, withRaw);
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
