// Learning on made-up sites, with a model that knows the truth. `LEARNING_SITES=6` reads all of them.
import { describe, expect, test } from 'vitest';
import { judgeSite, type Judged } from './judge-site.ts';
import { recordSites } from './record-sites.ts';

const sites = Number(process.env['LEARNING_SITES'] ?? 2);
const seed = Number(process.env['LEARNING_SEED'] ?? 3);

const mean = (all: readonly Judged[], of: (one: Judged) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0) / all.length;

describe('learning from a model', () => {
  test.each([
    ['a model that is right', 0, { f1: 0.97, precision: 0.985, silent: 0.01, calls: 30 }],
    ['a model of which a tenth of the values is wrong', 0.1, { f1: 0.95, precision: 0.985, silent: 0.015, calls: 30 }],
  ])('learning: reads the records of sites with %s', { timeout: 600_000 }, (_, noise, bar) => {
    const judged = recordSites(seed, sites > 2 ? 60 : 40)
      .slice(0, sites)
      .map((site) => judgeSite(site, { noise, seed }));
    const all = {
      f1: mean(judged, ({ f1 }) => f1),
      precision: mean(judged, ({ precision }) => precision),
      silent: mean(judged, ({ silent }) => silent),
      calls: mean(judged, ({ calls }) => calls),
    };
    if (sites > 2) console.log(seed, JSON.stringify(all));
    expect(all.f1).toBeGreaterThanOrEqual(bar.f1);
    expect(all.precision).toBeGreaterThanOrEqual(bar.precision);
    expect(all.silent).toBeLessThanOrEqual(bar.silent);
    expect(all.calls).toBeLessThanOrEqual(bar.calls);
  });
});
