/** Names in the markup that a template gives, and not a build or a record. */
import type { Element } from 'domhandler';

const namesMax = 6;

/** Classes without hashes of builds (`css-1abc`, `Price_x7f3a9`) and numbers of records (`post-123`). */
export function stableClasses({ attribs }: Element): readonly string[] {
  const given = attribs['class'];
  if (given === undefined) return [];
  return given
    .slice(0, 500)
    .split(/\s+/)
    .filter((name) => isStable(name))
    .slice(0, namesMax);
}

export function stableId({ attribs }: Element): string | undefined {
  const { id } = attribs;
  return id !== undefined && isStable(id) ? id : undefined;
}

function isStable(name: string): boolean {
  if (!/^[a-z_][\w-]{0,59}$/i.test(name)) return false;
  if (/\d{2}/.test(name) || /^(?:css|sc|jsx|svelte|emotion)-/i.test(name)) return false;
  // A part with letters and digits, or of both cases without a word, is a hash.
  return !name
    .split(/[-_]+/)
    .some((part) => part.length >= 5 && (/\d/.test(part) || /[a-z][A-Z][a-z]?[A-Z]|[A-Z]{2}[a-z][A-Z]/.test(part)));
}
