// What a row of the table of options says: see `table.ts`.
import type { z } from 'zod';
import type { Permission } from '../core/permissions.ts';

/** Requests that take options: `POST /crawler/jobs`, `POST /scraper/scrape`, `POST /crawler/jobs/{id}/retry`. */
export type Place = 'crawl' | 'scrape' | 'retry';

/** One option. */
export interface Option {
  /** Checks what a client sends, and fills in the default. Its messages are sentences: what to send. */
  readonly schema: z.ZodType;
  /** The meaning, with units, for OpenAPI and `docs/options.md`. */
  readonly about: string;
  /** The default in words, where the schema does not have it. */
  readonly defaultsTo?: string;
  readonly places: readonly Place[];
  /** The name in `POST /scraper/scrape`, where it differs. */
  readonly scrapeName?: string;
  /** What is stored with the job. Absent where nothing is. */
  readonly spec?: SpecField;
  /** What the API shows of a job. Absent where nothing is. */
  readonly shown?: Shown;
  readonly flag?: Flag;
  /** Refuses a body before it is validated. Returns undefined where nothing is wrong. */
  readonly refuse?: (body: Readonly<Record<string, unknown>>) => Refusal | undefined;
  readonly permission?: NeededPermission;
}

export interface SpecField {
  /** The name in `JobSpec`. */
  readonly field: string;
  /**
   * The stored value, from the whole input. The type of the parameter names the options that the value depends on: its own, and
   * those that imply it. @default the option's own value
   */
  readonly from?: (input: never) => unknown;
  /**
   * The value for a job that was stored before the option existed, from what was stored of it. Absent for options that every stored
   * job has.
   */
  readonly older?: (stored: never) => unknown;
}

export interface Shown {
  /** Of the answer. Simpler than the input's: what is stored is not validated again. */
  readonly schema: z.ZodType;
  /** From the job; the type of the parameter names what it reads. @default the stored value */
  readonly of?: (job: never) => unknown;
}

export interface Refusal {
  readonly code: 'not_supported_yet' | 'invalid_body';
  /** A sentence: what is wrong and what to do. */
  readonly message: string;
}

/** A permission that the token needs for some values. */
export interface NeededPermission {
  readonly name: Permission;
  readonly when: (value: unknown) => boolean;
}

/** How the option is written on the command line, for each command whose request takes it. */
export type Flag = {
  /** In commander's notation, such as `--limit <n>`. */
  readonly flags: string;
  readonly help: string;
} & (
  | { readonly reads: 'number' | 'text' }
  /** May be repeated. */
  | { readonly reads: 'list' }
  /** May be repeated: each is a name and a value. */
  | { readonly reads: 'pairs'; readonly separator: string }
  | { readonly reads: 'choice'; readonly choices: readonly string[]; readonly default: string }
  /** One of some words, each for a value; without a word the one that it has `alone`. */
  | { readonly reads: 'named'; readonly values: Readonly<Record<string, unknown>>; readonly alone: string }
  /** A switch, and the value that it stands for. */
  | { readonly reads: 'switch'; readonly sets: unknown }
);
