// Validates a request's body against the options of its endpoint.
import type { z } from 'zod';
import { type FieldError, UserError } from '../core/errors.ts';
import { optionsOf } from '../options/inputs.ts';
import type { Place } from '../options/option.ts';

/** More would not help, and a body can have a hundred thousand wrong fields. */
const fieldErrorsMax = 20;

/** Returns the body as the schema parses it. `place`: whose options it has, if any. Throws a `UserError` that names each invalid field. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  place: Place | undefined,
  body: unknown,
): z.output<Schema> {
  if (place !== undefined && typeof body === 'object' && body !== null)
    refuse(place, body as Readonly<Record<string, unknown>>);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const listed = withLists(body, issues);
  if (listed !== undefined) return parseInput(schema, place, listed);
  const known = 'shape' in schema ? Object.keys(schema.shape as object) : [];
  // A field of another name comes before the field that it was meant for.
  const isUnknown = (issue: { readonly code?: string }): number => Number(issue.code === 'unrecognized_keys');
  const sorted = issues.toSorted((one, other) => isUnknown(other) - isUnknown(one));
  const errors = sorted.slice(0, fieldErrorsMax).flatMap((issue) => toFieldErrors(issue, known));
  throw invalidBody(errors.slice(0, fieldErrorsMax));
}

/** A text in the place of a list is the list of this one. Undefined if there is none. */
function withLists(body: unknown, issues: readonly z.core.$ZodIssue[]): object | undefined {
  const texts = Object.entries(body ?? {}).filter(
    ([name, value]) =>
      typeof value === 'string' &&
      issues.some(
        ({ path: [first, ...rest], ...issue }) =>
          first === name && rest.length === 0 && 'expected' in issue && issue.expected === 'array',
      ),
  );
  if (texts.length === 0) return undefined;
  return { ...(body as object), ...Object.fromEntries(texts.map(([name, text]) => [name, [text]])) };
}

/** What other crawlers call a field, and what it can be here. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map(
  `url urls, urls url, start_urls urls url, limit page_limit, max_pages page_limit limit, page_limit limit,
  depth max_depth, max_discovery_depth max_depth, include_paths include_patterns, exclude_paths exclude_patterns,
  format output_format formats, webhook webhook_url, delay host_delay_ms, concurrency host_concurrency,
  max_concurrency host_concurrency, ignore_robots_txt respect_robots, render use_browser, browser use_browser`
    .split(/,\s+/u)
    .map((words) => words.split(' '))
    .map(([name = '', ...meant]) => [name, meant]),
);

function noSuchField(key: string, known: readonly string[]): string {
  const name = key
    .replaceAll('-', '_')
    .replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
    .toLowerCase();
  const meant = [name, ...(otherNames.get(name) ?? [])].find((each) => known.includes(each));
  return meant === undefined ? 'There is no such field.' : `There is no such field; here it is \`${meant}\`.`;
}

/** The error for invalid fields: its message is that of the first one. */
export function invalidBody(fields: readonly FieldError[]): UserError {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more, see \`errors\`)` : '';
  return new UserError(
    'invalid_body',
    first ? `\`${first.field}\`: ${first.message}${more}` : 'The body is not valid.',
    fields,
  );
}

function refuse(place: Place, body: Readonly<Record<string, unknown>>): void {
  for (const { name, option } of optionsOf(place)) {
    const refusal = option.refuse?.(body);
    if (!refusal) continue;
    const { code, message, field = name } = refusal;
    throw new UserError(code, message, [{ field, message }]);
  }
}

function toFieldErrors(
  issue: {
    readonly code?: string;
    readonly path: readonly PropertyKey[];
    readonly message: string;
    readonly keys?: readonly string[];
  },
  known: readonly string[],
): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    const inside = issue.path.length === 0 ? '' : `${fieldName(issue.path)}.`;
    return (issue.keys ?? []).map((key) => ({
      field: `${inside}${key === '' ? '""' : key.slice(0, 100)}`,
      message: noSuchField(key, issue.path.length === 0 ? known : []),
    }));
  }
  return [{ field: fieldName(issue.path), message: issue.message }];
}

function fieldName(path: readonly PropertyKey[]): string {
  return (
    path.reduce<string>(
      (name, part) =>
        typeof part === 'number' ? `${name}[${part}]` : name === '' ? String(part) : `${name}.${String(part)}`,
      '',
    ) || 'body'
  );
}
