// What the paths of all kinds of requests are given, and how they end.
import type { BodyMemory } from '../core/fetcher.ts';
import type { Settlement } from '../core/frontier.ts';
import type { CountedCode } from '../core/reasons.ts';
import type { Renderer } from '../core/renderer.ts';
import type { Converter } from './convert/converter.ts';
import type { HostGate } from './host-gate.ts';
import type { JobCookies } from './job-cookies.ts';
import type { PoliteFetcher } from './polite-fetcher.ts';
import type { Pacer } from './politeness.ts';
import type { RedirectTargets } from './redirect-targets.ts';
import type { RenderMemory } from './render-memory.ts';
import type { ResourceCache } from './resource-cache.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { TemplateWatch } from './template-watch.ts';

export interface PathParts {
  /** Keeps to the pace of each host. */
  readonly fetcher: PoliteFetcher;
  /** For the bodies of this request. */
  readonly memory: BodyMemory;
  /** What is noticed on the way of this request, whatever comes of it. */
  readonly remarks: CountedCode[];
  readonly pacer: Pacer;
  readonly converter: Converter;
  readonly gate: HostGate;
  /** Notices traps. */
  readonly watch: TemplateWatch;
  readonly cookies: JobCookies;
  /** Knows which URLs need not be fetched through a redirect. */
  readonly targets: RedirectTargets;
  /** Absent where there is no browser. */
  readonly browser?: BrowserParts | undefined;
  readonly options: ProcessorOptions;
  /** Ends what is under way at once. */
  readonly signal: AbortSignal;
  /** The same, and fires when the job has ended: for what is fetched for this job alone. */
  readonly jobSignal: AbortSignal;
}

export interface BrowserParts {
  readonly renderer: Renderer;
  /** What rendering has brought so far. */
  readonly memory: RenderMemory;
  /** What the pages of a job load. */
  readonly resources: ResourceCache;
  /** The `User-Agent` header, whole: pages see the one that fetches them. */
  readonly userAgent: string;
  /** The operator lets the browser run without its fences. */
  readonly isUnsandboxed: boolean;
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
