/**
 * Pages that were fetched and wait, on disk, until what a model teaches of their site is known. Their requests stay in the
 * frontier, and are taken again.
 */
export interface HeldPages {
  /** Keeps a page, as `new`. Returns how many wait then; undefined, and keeps nothing, if the job has ended. */
  hold(jobId: string, page: NewHeldPage): Promise<HeldCounts | undefined>;

  /** The page of a request; undefined if it does not wait. */
  read(jobId: string, request: number): Promise<HeldPage | undefined>;

  /** The pages of a site whose requests have not ended, without their data. */
  list(jobId: string, site: string): Promise<readonly ListedPage[]>;

  /** Notes that pages wait, or need wait no longer. `revision`: that of the lessons to read them with. */
  judge(jobId: string, requests: readonly number[], state: HeldState, revision: number): Promise<void>;

  /** Call it once the requests have ended. A page that is left behind goes with the end of its job. */
  remove(requests: readonly number[]): Promise<void>;

  /** What a job still has to do. */
  progress(jobId: string): Promise<HeldProgress | undefined>;

  /**
   * Makes one process the learner of a site for `forMs`, by the clock of the store. Returns false if another one is it.
   * Its holder can claim it again, and gives it back with 0.
   */
  claim(jobId: string, site: string, holder: string, forMs: number): Promise<boolean>;
}

/**
 * `new`: its links may not be stored, so its request is to be fetched again. `waiting`; or `learned`: to be read with what
 * was learned. The model gave no record (`bad_answer`), or did not respond (`unavailable`). `read` and `rejected`: it waits
 * for the end of the round in which it was read, and is `learned` or a `bad_answer` then.
 */
export type HeldState = 'new' | 'waiting' | 'read' | 'rejected' | 'learned' | 'bad_answer' | 'unavailable';

/** What a page is at the end of its round; undefined if it was not read in one. */
export function afterRound(state: HeldState): HeldState | undefined {
  switch (state) {
    case 'read':
      return 'learned';
    case 'rejected':
      return 'bad_answer';
    case 'new':
    case 'waiting':
    case 'learned':
    case 'bad_answer':
    case 'unavailable':
      return undefined;
  }
}

export function isWaiting(state: HeldState): boolean {
  return state === 'waiting' || afterRound(state) !== undefined;
}

export interface NewHeldPage {
  readonly request: number;
  readonly site: string;
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly heldAt: number;
  /** Its structure, to count the pages of a template. */
  readonly signature: Uint8Array;
  readonly data: Uint8Array;
}

/** Pages whose requests have not ended, new ones included. */
export interface HeldCounts {
  readonly ofSite: number;
  readonly ofJob: number;
}

export interface HeldPage {
  readonly heldAt: number;
  readonly state: HeldState;
  readonly revision: number;
  readonly data: Uint8Array;
}

export interface ListedPage {
  readonly request: number;
  readonly url: string;
  readonly heldAt: number;
  readonly state: HeldState;
  readonly revision: number;
  readonly signature: Uint8Array;
}

export interface HeldProgress {
  /** Requests that have not ended, those of held pages included. */
  readonly open: number;
  /** Held pages whose requests have not ended, without new ones. */
  readonly held: number;
  readonly scraped: number;
  readonly fetches: number;
}
