// What the paths of all kinds of requests are given, and how they end.
import type { BodyMemory, Fetcher } from '../core/fetcher.ts';
import type { Settlement } from '../core/frontier.ts';
import type { Converter } from './convert/converter.ts';
import type { HostGate } from './host-gate.ts';
import type { Pacer } from './politeness.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { TemplateWatch } from './template-watch.ts';

export interface PathParts {
  /** Keeps to the pace of each host. */
  readonly fetcher: Fetcher;
  /** For the bodies of this request. */
  readonly memory: BodyMemory;
  readonly pacer: Pacer;
  readonly converter: Converter;
  readonly gate: HostGate;
  /** Notices traps. */
  readonly watch: TemplateWatch;
  readonly options: ProcessorOptions;
  /** Ends what is under way at once. */
  readonly signal: AbortSignal;
  /** The same, and fires when the job has ended: for what is fetched for this job alone. */
  readonly jobSignal: AbortSignal;
}

export interface ProcessorOptions {
  readonly retry: RetryPolicy;
  /** Wall clock for one fetch. */
  readonly fetchDeadlineMs: number;
  /** Bytes of one body, packed. */
  readonly bodyBytesMax: number;
}

/** What came of a request, and of which conversion its links are: see {@link Converter.committed}. */
export interface Processed extends Settlement {
  readonly conversion?: number;
}

export type Step = Omit<Processed, 'request'>;
