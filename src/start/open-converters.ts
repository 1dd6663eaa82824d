// The converters of this program, and the model that teaches where values stand, according to the settings.
import type { Config } from '../config/config.ts';
import type { MemoryPlan } from '../config/memory-plan.ts';
import type { Life } from '../core/ports/frontier.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import type { Converter } from '../crawl/convert/converter.ts';
import { ApartConverter } from '../crawl/convert/thread/apart-converter.ts';
import { ConverterPool, type ConverterPoolOptions } from '../crawl/convert/thread/converter-pool.ts';
import { LearningConverter } from '../crawl/memory/learning-converter.ts';
import { ChatModel } from '../fetch/http/chat-model.ts';
import type { CrawlMetrics } from '../observe/crawl-metrics.ts';

const convertDeadlineMs = 5_000;
/** Wall clock of one call of the model: small machines take a minute. */
const modelDeadlineMs = 120_000;
/** The first pause before a call of the model is repeated. */
const modelRetryMs = 500;
/** How long a model is left alone after it failed repeatedly. */
const modelPauseMs = 60_000;
/** A PDF of 2,000 full pages takes 4 s. */
const convertFileDeadlineMs = 20_000;
/**
 * How long pages are converted one at a time in a separate process, after a death of this process or of such a
 * converter.
 */
const apartMs = 60_000;

interface Needs {
  readonly config: Config;
  readonly plan: MemoryPlan;
  readonly store: Store;
  readonly metrics: CrawlMetrics;
  readonly firstLife: Life;
  readonly hasBrowser: boolean;
  readonly log: Log;
}

export interface Converters {
  /** Uses no model. */
  readonly plain: Converter;
  /** Learns what the model teaches, if there is one. Closing it closes all. */
  readonly converter: Converter;
}

export function openConverters(needs: Needs): Converters {
  const { config, store, hasBrowser, log } = needs;
  const { plain, pool } = openPlain(needs);
  if (config.modelUrl === undefined) return { plain, converter: plain };
  const learning = new LearningConverter({
    converter: plain,
    teacher: pool,
    model: new ChatModel({
      url: config.modelUrl,
      model: config.model,
      key: config.modelKey,
      deadlineMs: modelDeadlineMs,
      retryMs: modelRetryMs,
      pauseMs: modelPauseMs,
    }),
    lessons: store.lessons,
    callsPerDay: config.modelCallsPerDay,
    hasBrowser,
    log,
  });
  const close = (): Promise<void> => {
    learning.close();
    return plain.close();
  };
  const convertPage: Converter['convertPage'] = (...args) => learning.convertPage(...args);
  return { plain, converter: { ...plain, convertPage, close } };
}

export function limitsOf(plan: MemoryPlan): Omit<ConverterPoolOptions, 'threads'> {
  return {
    deadlineMs: convertDeadlineMs,
    fileDeadlineMs: convertFileDeadlineMs,
    memoryMbMax: plan.converterMb,
    sharedMbMax: plan.converterSharedMb,
    youngMbMax: plan.converterYoungMb,
  };
}

function openPlain({ config, plan, metrics, firstLife, log }: Needs): { plain: Converter; pool: ConverterPool } {
  const limits = limitsOf(plan);
  const pool = new ConverterPool({ ...limits, threads: config.converterThreads }, log);
  const isAfterDeath = firstLife.isAfterDeath || firstLife.suspects > 0;
  const apart = isAfterDeath ? new ApartConverter({ limits, apartMs }, log) : undefined;
  const plain: Converter = {
    convertPage: (input) => metrics.conversion(apart?.checkOn() ? apart.convertPage(input) : pool.convertPage(input)),
    readSitemap: (input) => pool.readSitemap(input),
    committed: (conversions) => pool.committed(conversions),
    close: async () => {
      apart?.close();
      await pool.close();
    },
  };
  return { plain, pool };
}
