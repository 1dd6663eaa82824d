// What a client asked and what it was told, with the two moments around it: the lines of a history.

export type Call =
  | {
      readonly name: 'create';
      readonly key: string;
      /** URLs that must become pages. */
      readonly expected: readonly string[];
      /** What must have become of each URL of the earlier job, if this one looks for changes. */
      readonly changes?: Readonly<Record<string, string>>;
    }
  | { readonly name: 'job'; readonly job: string }
  /** Pages behind page `after`, by a cursor that stands there, with or without text; 0 sends none. */
  | { readonly name: 'data'; readonly job: string; readonly after: number; readonly limit: number }
  /** Changes behind the first `after`, likewise. */
  | { readonly name: 'changes'; readonly job: string; readonly after: number; readonly limit: number }
  /** The ledger, whole. */
  | { readonly name: 'urls'; readonly job: string }
  | { readonly name: 'cancel'; readonly job: string }
  | { readonly name: 'delete'; readonly job: string }
  | { readonly name: 'erase'; readonly job: string; readonly page: number }
  /** All jobs of the org, whole. */
  | { readonly name: 'list' };

export interface JobState {
  readonly id: string;
  readonly status: string;
  readonly finishedAt: number | null;
  readonly progress: Readonly<
    Record<'discovered' | 'queued' | 'inFlight' | 'scraped' | 'discarded' | 'failed' | 'outside', number>
  >;
}

export interface PageRow {
  readonly page: number;
  readonly url: string;
  /** Of everything else in the row but the text. */
  readonly hash: string;
  /** Of the text; undefined where only metadata was asked for. */
  readonly textHash?: string;
  readonly isErased: boolean;
}

export interface UrlRow {
  readonly url: string;
  readonly status: string;
  readonly page?: number;
}

export type Outcome =
  | { readonly kind: 'job'; readonly job: JobState }
  | { readonly kind: 'pages'; readonly rows: readonly PageRow[]; readonly isEnd: boolean }
  | { readonly kind: 'changes'; readonly rows: readonly string[]; readonly isEnd: boolean }
  | { readonly kind: 'urls'; readonly rows: readonly UrlRow[] }
  | { readonly kind: 'list'; readonly ids: readonly string[] }
  | { readonly kind: 'done' }
  /** Status 4xx. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string };

export interface Operation {
  readonly client: string;
  /** Milliseconds by one clock for all clients. */
  readonly from: number;
  readonly to: number;
  readonly call: Call;
  /** Undefined: no response, or a 5xx. It may have had its effect, even later. */
  readonly outcome: Outcome | undefined;
}

export type History = readonly Operation[];
