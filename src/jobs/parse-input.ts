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
  throw invalidBody(parsed.error.issues.slice(0, fieldErrorsMax).flatMap(toFieldErrors).slice(0, fieldErrorsMax));
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

function toFieldErrors(issue: {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    const inside = issue.path.length === 0 ? '' : `${fieldName(issue.path)}.`;
    return (issue.keys ?? []).map((key) => ({
      field: `${inside}${key === '' ? '""' : key.slice(0, 100)}`,
      message: 'There is no such field.',
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
