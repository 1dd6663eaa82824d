import { isUtf8 } from 'node:buffer';
import { UserError } from '../core/errors.ts';

/**
 * Parses a request body as JSON: UTF-8, each field once. Returns undefined if it is empty. Throws a `UserError` that
 * says what to change, rather than guess: of a field given twice, JSON.parse would take the last.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalidBody('The body is not UTF-8. Send it as uncompressed UTF-8.');
  const text = bytes.toString();
  if (text.startsWith('\uFEFF')) throw invalidBody('The body begins with a byte order mark. Send it without one.');
  if (text.trim() === '') return undefined;
  const value = parse(text);
  const twice = repeatedField(text);
  if (twice === undefined) return value;
  throw new UserError('invalid_body', `\`${twice}\`: The field is given more than once. Give it once.`, [
    { field: twice, message: 'Given more than once.' },
  ]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidBody(`The body is not valid JSON. ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function invalidBody(message: string): UserError {
  return new UserError('invalid_body', message);
}

/**
 * A string, with the colon that makes it a field name, or a bracket: enough to find the fields of the outermost object.
 */
const piece = /"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g;

/** Returns the first field that the outermost object has twice. The text has been parsed, so it is well-formed. */
function repeatedField(text: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  for (const [found, colon] of text.matchAll(piece)) {
    if (found === '{' || found === '[') depth++;
    else if (found === '}' || found === ']') depth--;
    else if (colon !== undefined && depth === 1) {
      const field = String(JSON.parse(found.slice(0, -colon.length)));
      if (seen.has(field)) return field.slice(0, 100);
      seen.add(field);
    }
  }
  return undefined;
}
