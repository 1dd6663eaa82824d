// The form of a row in the table of options: see `table.ts`.
import type { z } from 'zod';
import type { Permission } from '../core/permissions.ts';

/**
 * Requests that take options: `POST /crawler/jobs`, `POST /scraper/scrape`, `POST /crawler/jobs/{id}/retry`,
 * `POST /scraper/map`, `POST /scraper/batch`, `POST /crawler/jobs/{id}/reextract`.
 */
export const places = ['crawl', 'scrape', 'retry', 'map', 'batch', 'reextract'] as const;
export type Place = (typeof places)[number];

/** One option. */
export interface Option {
  /** Validates a client's value and fills in the default. Its messages are sentences that say what to send. */
  readonly schema: z.ZodType;
  /** The meaning, with units, for OpenAPI and `docs/options.md`. */
  readonly about: string;
  /** The default in words, if the schema has none. */
  readonly defaultsTo?: string;
  readonly places: readonly Place[];
  /** The name in `POST /scraper/scrape`, if it differs. */
  readonly scrapeName?: string;
  /** The field stored with the job. Absent if none is. */
  readonly spec?: SpecField;
  /** The field that the API shows of a job. Absent if none is. */
  readonly shown?: Shown;
  readonly flag?: Flag;
  /** Refuses a body before validation. Returns undefined if the body is acceptable. */
  readonly refuse?: (body: Readonly<Record<string, unknown>>) => Refusal | undefined;
  readonly permission?: NeededPermission;
}

export interface SpecField {
  /** The name in `JobSpec`. */
  readonly field: string;
  /**
   * Returns the stored value, from the whole input. The parameter's type names the options that the value depends on:
   * its own, and those that imply it. @default the option's own value
   */
  readonly from?: (input: never) => unknown;
}

export interface Shown {
  /** Schema in the response. Simpler than the input's, because stored values are not validated again. */
  readonly schema: z.ZodType;
  /** Returns the value to show of a job; the parameter's type names the fields it reads. @default the stored value */
  readonly of?: (job: never) => unknown;
}

export interface Refusal {
  readonly code: 'invalid_body';
  /** @default the option */
  readonly field?: string;
  /** A sentence that says what is wrong and what to do. */
  readonly message: string;
}

/** A permission that the token needs for certain values. */
export interface NeededPermission {
  readonly name: Permission;
  /** How messages name the value. @default the option and its value */
  readonly shown?: string;
  readonly when: (value: unknown) => boolean;
}

/** The option on the command line, for each command whose request accepts it. */
export type Flag = {
  /** In commander's notation, such as `--limit <n>`. */
  readonly flags: string;
  readonly help: string;
  /** The default in words for a terminal, if the row's own does not fit. */
  readonly fallback?: string;
} &
  /** `secondsOrNever`: a number, or `never`, which is null in the request. */
  (
    | { readonly reads: 'number' | 'text' | 'secondsOrNever' }
    /** The name of a file with JSON. */
    | { readonly reads: 'json' }
    /** Repeatable. */
    | { readonly reads: 'list' }
    /** Several words in one value. */
    | { readonly reads: 'commas' }
    /** Repeatable: each is a name and a value. */
    | { readonly reads: 'pairs'; readonly separator: string }
    | { readonly reads: 'choice'; readonly choices: readonly string[]; readonly default: string }
    /** One word of several, each with its value; without a word it means `alone`. */
    | { readonly reads: 'named'; readonly values: Readonly<Record<string, unknown>>; readonly alone: string }
    /** A switch, and the value it sets. */
    | { readonly reads: 'switch'; readonly sets: unknown }
  );
