// What a tool is. A tool validates nothing that the verbs of src/jobs validate, and writes a response for a model.
import { z } from 'zod';
import type { JobChanges } from '../core/ports/changes.ts';
import type { ScheduleStore } from '../core/ports/schedules.ts';
import type { PageSearch } from '../core/ports/search.ts';
import type { PageStore } from '../core/ports/stores.ts';
import type { CreateJobParts, JobOwner } from '../jobs/create-job.ts';
import type { Cursors } from '../jobs/cursor.ts';

/** Characters of a response, unless the caller chooses. */
export const usualChars = 20_000;
/** Some clients refuse responses of more than 25,000 tokens. */
export const charsMax = 80_000;
const charsMin = 2_000;

/** What tools need of the process that they run in. */
export interface ToolParts extends CreateJobParts {
  readonly pages: PageStore;
  /** Undefined if the operator has switched it off. */
  readonly search: PageSearch | undefined;
  readonly cursors: Cursors;
  readonly changes: JobChanges;
  readonly schedules: ScheduleStore;
  /** Runs what holds a whole page in memory, when there is room for it. Rejects with a `UserError` if there is none. */
  withMemory<Result>(org: string, signal: AbortSignal, run: () => Promise<Result>): Promise<Result>;
}

/** One call. */
export interface ToolContext {
  readonly parts: ToolParts;
  readonly caller: JobOwner;
  /** Fires when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/** `starts`: begins to crawl; `follows`: waits for a crawl; `reads`: what is stored. */
export type ToolKind = 'starts' | 'follows' | 'reads';

export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the model: what it does, when to use it, what to call next. */
  readonly description: string;
  readonly kind: ToolKind;
  readonly input: Schema;
  /** Returns the response: at most {@link charsMax} characters. Rejects with a `UserError` if there is none. */
  run(context: ToolContext, args: z.output<Schema>): Promise<string>;
}

export function defineTool<Schema extends z.ZodObject>(tool: Tool<Schema>): Tool {
  return tool;
}

export const jobArgument = z.string().describe('The id of the job, as crawl_start, scrape or map returned it.');
export const extractArgument = z
  .looseObject({})
  .optional()
  .describe('{"schema": JSON Schema} or {"fields": {"price": {"css": ".price"}}}');
export const maxChars = z
  .int()
  .min(charsMin)
  .max(charsMax)
  .optional()
  .describe(`Characters at most. Default: ${usualChars}.`);
