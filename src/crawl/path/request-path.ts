// What the paths of all kinds of requests receive, and what they return.
import type { BodyMemory } from '../../core/ports/fetcher.ts';
import type { Remark, Settlement } from '../../core/ports/frontier.ts';
import type { Renderer } from '../../core/ports/renderer.ts';
import type { Converter, UntilAnswered } from '../convert/converter.ts';
import type { JobPatience } from '../pace/host-patience.ts';
import type { HostGate } from '../pace/host-gate.ts';
import type { JobCookies } from '../job/job-cookies.ts';
import type { JobPace } from '../job/job-pace.ts';
import type { PoliteFetcher } from '../pace/polite-fetcher.ts';
import type { Pacer } from '../pace/politeness.ts';
import type { OutcomeWatch } from '../memory/outcome-watch.ts';
import type { RedirectTargets } from '../memory/redirect-targets.ts';
import type { RenderMemory } from '../memory/render-memory.ts';
import type { ResourceCache } from '../memory/resource-cache.ts';
import type { RetryPolicy } from '../pace/retry-policy.ts';
import type { ScriptLinks } from '../memory/script-links.ts';
import type { TemplateWatch } from '../memory/template-watch.ts';
import type { WaitingBytes } from './waiting-bytes.ts';

export interface PathParts extends Pick<Waits, 'aside'> {
  /** Fetches at the pace of each host. */
  readonly fetcher: PoliteFetcher;
  /** Memory for the bodies of this request. */
  readonly memory: BodyMemory;
  /** Noted while the request is processed, and kept whatever its outcome. */
  readonly remarks: Remark[];
  readonly pacer: Pacer;
  readonly converter: Converter;
  readonly gate: Pick<HostGate, 'admit' | 'report'>;
  /** Finds traps. */
  readonly watch: TemplateWatch;
  /** Finds links that scripts make up. */
  readonly scriptLinks: ScriptLinks;
  /** Finds sites that begin to end every URL in one way. */
  readonly outcomes: OutcomeWatch;
  readonly cookies: JobCookies;
  readonly waiting: WaitingBytes;
  readonly untilAnswered: UntilAnswered;
  /** Knows the URLs that need not be fetched through a redirect. */
  readonly targets: RedirectTargets;
  /** Absent without a browser. */
  readonly browser?: BrowserParts | undefined;
  readonly options: ProcessorOptions;
  /** When the time of the URL is up (`monotonicNow`). Infinite if it has no limit. */
  readonly endsAt: number;
  /** Aborts everything under way at once. */
  readonly signal: AbortSignal;
  /** As `signal`, and fires when the job has ended: for fetches made for this job alone. */
  readonly jobSignal: AbortSignal;
}

/** How a request waits for something that is not its host's. Each resolves when the promise does. */
export interface Waits {
  /** Meanwhile the request does not count as in flight. */
  readonly aside: (wait: Promise<void>) => Promise<void>;
  /** The request keeps its place until the model has answered. Rejects when its job has ended, or the process stops. */
  readonly untilAnswered: (wait: Promise<unknown>, jobSignal: AbortSignal) => Promise<void>;
}

export interface BrowserParts {
  readonly renderer: Renderer;
  /** What rendering has gained so far. */
  readonly memory: RenderMemory;
  /** What the pages of a job load. */
  readonly resources: ResourceCache;
  /** The whole `User-Agent` header. Pages see the same one that fetches them. */
  readonly userAgent: string;
  /** The operator runs the browser without its sandbox. */
  readonly isUnsandboxed: boolean;
}

export interface ProcessorOptions {
  readonly retry: RetryPolicy;
  /** Wall-clock time for one fetch. */
  readonly fetchDeadlineMs: number;
  /** Time to the head of a response, and the longest time without a byte of its body. */
  readonly fetchSilenceMs: number;
  /** Bytes of one body as sent, before unpacking. */
  readonly bodyBytesMax: number;
  /** Names the code that makes pages of bytes. @default '' */
  readonly program?: string;
  /** For screenshots and raw bodies that wait for the store. @default their limit */
  readonly waitingBytes?: number;
}

/**
 * The outcome of a request, with the number of the conversion that its links came from: see
 * {@link Converter.committed}.
 */
export interface Processed extends Settlement {
  readonly conversion?: number;
  /** It failed because the time of its URL was up. @default false */
  readonly isOutOfTime?: boolean;
}

/** What a job wants for one of its requests. */
export interface JobWishes {
  /** Undefined if the job has no pace of its own. */
  readonly pace: JobPace | undefined;
  readonly patience: JobPatience;
}

export type Step = Omit<Processed, 'request'>;
