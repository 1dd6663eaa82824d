// The tools by name. A server of the protocol needs nothing else, so it is the same whether the tools run in this
// process or in a service that is reached over HTTP.
import { z } from 'zod';
import { UserError } from '../core/errors.ts';
import { explainError } from './tool-error.ts';
import type { Tool, ToolContext } from './tool.ts';
import { changes } from './tools/changes.ts';
import { crawlStart } from './tools/crawl-start.ts';
import { crawlStatus } from './tools/crawl-status.ts';
import { map } from './tools/map.ts';
import { page } from './tools/page.ts';
import { pages } from './tools/pages.ts';
import { scrape } from './tools/scrape.ts';
import { search } from './tools/search.ts';
import { why } from './tools/why.ts';

/** In the order in which a model uses them. */
export const tools: readonly Tool[] = [scrape, crawlStart, crawlStatus, search, page, pages, map, why, changes];

export interface ToolResponse {
  readonly text: string;
  readonly isError: boolean;
}

export interface Toolbox {
  /** Never rejects: what goes wrong is a response, with a stable code and a sentence. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<ToolResponse>;
}

export interface LocalToolboxOptions {
  /** Runs a call with what it needs. Rejects with a `UserError` if the caller lacks the permission. */
  readonly run: (tool: Tool, use: (context: Omit<ToolContext, 'signal'>) => Promise<string>) => Promise<string>;
  /** A defect of ours. Returns how the operator finds it in the log. */
  readonly onDefect: (tool: string, error: unknown) => string;
}

/** Runs the tools in this process. */
export function localToolbox({ run, onDefect }: LocalToolboxOptions): Toolbox {
  return {
    call: async (name, args, signal) => {
      try {
        const tool = toolNamed(name);
        const parsed = parseArguments(tool, args);
        return { text: await run(tool, (context) => tool.run({ ...context, signal }, parsed)), isError: false };
      } catch (error) {
        return {
          text: explainError(error) ?? `internal: An internal error occurred. ${onDefect(name, error)}`,
          isError: true,
        };
      }
    },
  };
}

function toolNamed(name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  const names = tools.map((one) => one.name).join(', ');
  throw new UserError('not_found', `There is no tool ${JSON.stringify(name.slice(0, 100))}. The tools are ${names}.`);
}

/** More would not help, and arguments can have a hundred thousand wrong fields. */
const fieldsMax = 10;

/** Models write null for what they leave out, and numbers as strings. */
function parseArguments(tool: Tool, args: unknown): z.output<z.ZodObject> {
  const given = Object.entries((args ?? {}) as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, isNumber(tool, name, value) ? Number(value) : value] as const);
  const parsed = tool.input.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.slice(0, fieldsMax).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, fieldsMax).map((key) => ({
          field: key.slice(0, 100),
          message: `There is no such argument. ${tool.name} takes ${Object.keys(tool.input.shape).join(', ')}.`,
        }))
      : [{ field: issue.path.join('.'), message: `${issue.message}.` }],
  );
  const [first] = fields;
  throw new UserError(
    'invalid_parameter',
    first ? `\`${first.field}\`: ${first.message}` : 'The arguments are not valid.',
    fields,
  );
}

function isNumber(tool: Tool, name: string, value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) return false;
  const schema: unknown = Object.hasOwn(tool.input.shape, name) ? tool.input.shape[name] : undefined;
  return schema instanceof z.ZodType && schema.safeParse(Number(value)).success;
}
