// What the rules leave out of a stored page: a thread for each question, as it is rare, and asked where nothing is crawled.
import type { Config } from '../config/config.ts';
import type { DroppedOf } from '../core/ports/dropped.ts';
import type { Log } from '../core/ports/log.ts';
import { FairBudget } from '../core/process/fair-budget.ts';
import { convertRaw } from '../crawl/convert-stored.ts';
import { ConverterPool } from '../crawl/convert/thread/converter-pool.ts';
import { briefOf } from '../crawl/job/job-cache.ts';
import { parsePage } from '../page/decode.ts';
import { limitsOf } from './open-converters.ts';
import { planOf } from './plan-of.ts';

/** Pages at a time; one org gets half. */
const turns = new FairBudget({
  max: 2,
  waitMs: 10_000,
  refusal: 'Too many pages are being explained. Retry in a few seconds.',
});

export async function droppedApart(
  config: Config,
  log: Log,
  ...[org, spec, raw, signal]: Parameters<DroppedOf>
): ReturnType<DroppedOf> {
  const turn = await turns.take(org, 1, signal);
  const pool = new ConverterPool({ ...limitsOf(planOf(config)), threads: 1 }, log);
  try {
    const brief = briefOf({ id: 'explained', spec: { ...spec, storeRaw: false, minLength: 0 }, scopeHosts: [] }, 0);
    const converted = await convertRaw(pool, brief, raw);
    if (converted.kind === 'error') return converted.error;
    if (converted.kind !== 'page') return undefined;
    return parsePage({ page: 1, body: converted.page.body }).formats?.dropped;
  } finally {
    await pool.close();
    turn.giveBack();
  }
}
