/** What a job knows of a page at its end: a later job with `since` compares with it. */
import type { LastAsked } from './lastmod.ts';

/**
 * How it is known that a page has not changed: the site said so, its bytes are the same, its title and text are, or it was
 * not asked for, because its sitemap says that it has not changed.
 */
export type HowUnchanged = '304' | 'bytes' | 'hash' | 'lastmod';

export const changeKinds = ['added', 'changed', 'moved', 'unchanged', 'removed', 'unknown'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Pages of a job by what became of them since the earlier one. `unknown` is 0 until the job ends. */
export type ChangeCounts = Readonly<Record<ChangeKind, number>>;

/** A response of another kind than the page: see `doubts.ts` of the store's rules. */
export interface Doubt {
  readonly kind: 'gone' | 'ill' | 'shut';
  /** Runs in a row that read the page and got this kind. */
  readonly runs: number;
}

export interface BaselinePage {
  /** The place of its text: a job and a page of it, as the store numbers them. */
  readonly textOf: number;
  /** See `PageRecord.hash`. */
  readonly hash: string;
  /** See `PageRecord.copyKey`. */
  readonly copyKey: string | null;
  /** See `PageRecord.validator`, or where a redirect led: see {@link redirectTarget}. */
  readonly validator: string | null;
  /** See `packTraits`. Null of a page of which they are not known. */
  readonly traits: string | null;
  /** Null if the last response that was read was the page. */
  readonly doubt: Doubt | null;
  /** Null if the page may not go without a request. */
  readonly asked: LastAsked | null;
}

/** Length of an ETag or a date that is kept; a longer one is not sent back. */
const validatorLengthMax = 512;

/** The validator to keep of a response: its ETag, or else its date. */
export function validatorOf({
  etag,
  lastModified,
}: {
  readonly etag: string;
  readonly lastModified: string;
}): string | undefined {
  const validator = /^(?:W\/)?"/.test(etag) ? etag : lastModified;
  return validator === '' || validator.length > validatorLengthMax ? undefined : validator;
}

/** The header that asks whether a page still has this validator. */
export function conditionalHeader(validator: string): Readonly<Record<string, string>> {
  return /^(?:W\/)?"/.test(validator) ? { 'if-none-match': validator } : { 'if-modified-since': validator };
}

/** No header contains it. */
const redirectMark = '\n';

/** What is kept of a page instead of a validator if a redirect led to it: the dedupe key of the URL that had it. */
export function redirectedTo(key: string): string {
  return redirectMark + key;
}

/** The dedupe key of the URL that had the page; undefined if no redirect led to it. */
export function redirectTarget(validator: string | null): string | undefined {
  return validator?.startsWith(redirectMark) === true ? validator.slice(redirectMark.length) : undefined;
}
