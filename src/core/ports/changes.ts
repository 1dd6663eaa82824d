import type { z } from 'zod';
import { type ChangeKind, changeKinds } from '../baseline.ts';
import type { JobStatus } from '../job.ts';
import type { StoredPage } from '../page.ts';
import type { Builder } from '../resource.ts';

/** Reads what a job with `since` found out about the pages of the earlier job. */
export interface JobChanges {
  /**
   * Returns the changes after a position, in the order in which they were decided, and the state of the job, both from
   * one snapshot. Undefined if the org has no such job. What is `unknown` comes last, once the job has ended.
   */
  read(query: ChangeQuery): Promise<ChangeSlice | undefined>;
  /**
   * Returns what was added, changed and removed by the runs of a schedule after a position: run by run, each in the order in
   * which it was decided, each row once. A run shows no row before it has queued all of its earlier run. Undefined if the org
   * never had such a schedule.
   */
  feed(query: FeedQuery): Promise<FeedSlice | undefined>;
  /** Returns the pages that an ended job knows, in the order of their URLs. Undefined if the org has no such job. */
  baseline(query: BaselineQuery): Promise<BaselineSlice | undefined>;
  /** Returns what a job found out about one URL so far. Undefined if the org has no such job. */
  changeOf(query: {
    readonly org: string;
    readonly jobId: string;
    /** The dedupe key of the URL. */
    readonly key: string;
  }): Promise<UrlChange | undefined>;
  /**
   * Returns the newest run of a schedule that added, changed or removed a URL; if none that is kept did, the newest one that has the
   * URL. Undefined if there is none, or the org has no such schedule.
   */
  lastRunWith(query: {
    readonly org: string;
    readonly schedule: string;
    /** The dedupe key of the URL. */
    readonly key: string;
  }): Promise<string | undefined>;
  /**
   * Reads texts, or metadata, by their places, in this order: undefined if one is not kept, `damaged` if it differs from what
   * was stored. Ends early, never before one text, once they exceed `bytesMax`.
   */
  texts(query: TextQuery): Promise<readonly FoundText[]>;
}

export interface ChangeQuery {
  readonly org: string;
  readonly jobId: string;
  /** A position of {@link ChangeSlice}; 0 means from the start. */
  readonly after: number;
  readonly limit: number;
  /** @default all */
  readonly kinds?: readonly ChangeKind[] | undefined;
}

export interface ChangeSlice {
  readonly status: JobStatus;
  /** See {@link Job.areResultsGone}. */
  readonly areResultsGone: boolean;
  readonly changes: readonly PageChange[];
  /** More changes are committed after the last of these. */
  readonly more: boolean;
}

export const pageChange = (z: Builder) =>
  z.object({
    change: z.enum(changeKinds),
    url: z.string(),
    page: z.int().nullable().describe('Number of the page in this job; of a page that has moved, at its new URL.'),
    movedTo: z.string().optional().describe('With `moved`: the new URL of the page. Its old one redirects there.'),
    // Null also if that job was deleted.
    previousPage: z.int().nullable().describe('Its number in the job that `since` names.'),
    contentHash: z.string().nullable().describe('Of title, text and record.'),
    previousContentHash: z.string().nullable(),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why the page is `removed` or `unknown`; `extracted` if only its record has changed; `options` or `program` if its bytes are equal, and other options or another version of hayrake make another text of them.',
      ),
  });
export interface PageChange extends Readonly<z.output<ReturnType<typeof pageChange>>> {
  /** Rises. */
  readonly position: number;
  readonly job: string;
  /** When the job began. */
  readonly runAt: number;
  /** The place of its text; null if this job has no page for it. */
  readonly textOf: number | null;
}

/** What the feed of a schedule lists. */
export const feedKinds = ['added', 'changed', 'moved', 'removed'] as const satisfies readonly ChangeKind[];
export type FeedKind = (typeof feedKinds)[number];

/**
 * After this change of this run. With an empty `job`, `change` is the number of a run: the reader knows no page, and begins
 * with the first run after it that was compared with none.
 */
export interface FeedPosition {
  readonly job: string;
  readonly change: number;
}

export interface FeedQuery {
  readonly org: string;
  readonly schedule: string;
  /**
   * `oldest`: from the oldest row that is kept. `now`: after the last one. `nothing`: for a reader that knows no page, while no
   * ended run knows one.
   */
  readonly after: FeedPosition | 'oldest' | 'now' | 'nothing';
  readonly limit: number;
  /** @default all */
  readonly kinds?: readonly FeedKind[] | undefined;
}

/**
 * `deleted`: the schedule is gone. `expired`: rows after this position are no longer kept, or its run is not one of the
 * schedule; a reader begins with a snapshot.
 */
export type FeedSlice =
  | { readonly kind: 'deleted' | 'expired' }
  | {
      readonly kind: 'rows';
      readonly changes: readonly PageChange[];
      /** Where to continue. */
      readonly next: FeedPosition;
      /** No row is committed after these. */
      readonly isUpToDate: boolean;
      /** The run that can add rows. */
      readonly running: string | null;
    };

export interface BaselineQuery {
  readonly org: string;
  readonly jobId: string;
  /** {@link KnownPage.entry} of the last page read; 0 means from the start. */
  readonly after: number;
  readonly limit: number;
}

export interface BaselineSlice {
  readonly areResultsGone: boolean;
  readonly pages: readonly KnownPage[];
  readonly more: boolean;
  /** Changes of the job so far: see {@link FeedPosition}. */
  readonly changes: number;
}

/** A page of the baseline of a job. */
export interface KnownPage {
  readonly entry: number;
  readonly url: string;
  readonly textOf: number;
}

/** The change of one URL, with the places of both texts. */
export interface UrlChange {
  readonly areResultsGone: boolean;
  /** When the job began. */
  readonly runAt: number;
  /** Undefined if the job has no page with this URL. */
  readonly page: { readonly change: PageChange | null; readonly previousTextOf: number | null } | undefined;
}

export type FoundText = StoredPage | 'damaged' | undefined;

export interface TextQuery {
  readonly places: readonly number[];
  readonly withText: boolean;
  readonly bytesMax: number;
}
