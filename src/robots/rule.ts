import { comparablePath } from './comparable-path.ts';

/** One `Allow` or `Disallow` line that applies to us. */
export interface Rule {
  readonly isAllow: boolean;
  /** As written in the file, without comment and outer white space. */
  readonly written: string;
  /** Counted from 1. */
  readonly line: number;
  /** Length of the comparable form, in octets: the longest match decides (RFC 9309, 2.2.2). */
  readonly length: number;
  /** The parts of the pattern between its `*`s. */
  readonly pieces: readonly string[];
  /** The pattern ended in `$`: the path must end with it. */
  readonly isAnchored: boolean;
}

export function parseRule(isAllow: boolean, pattern: string, written: string, line: number): Rule {
  const comparable = comparablePath(pattern);
  const isAnchored = comparable.endsWith('$');
  // A `$` that is not the last character is an ordinary character.
  const pieces = (isAnchored ? comparable.slice(0, -1) : comparable).replaceAll('$', '%24').split(/\*+/);
  return { isAllow, written, line, length: comparable.length, pieces, isAnchored };
}

/**
 * The longest pattern comes first; of two equally long ones, the `Allow` (RFC 9309, 2.2.2). The first match decides.
 */
export function byPrecedence(a: Rule, b: Rule): number {
  return b.length - a.length || Number(b.isAllow) - Number(a.isAllow) || a.line - b.line;
}

/**
 * Returns true if a path, in comparable form, matches. Each piece is searched from the end of the previous one, and its
 * first occurrence taken: if any placement of the pieces fits, this one does, so no backtracking is needed.
 */
export function matches({ pieces, isAnchored }: Rule, path: string): boolean {
  const [first = ''] = pieces;
  if (!path.startsWith(first)) return false;
  if (pieces.length === 1) return !isAnchored || path.length === first.length;
  let end = first.length;
  const last = pieces.length - 1;
  for (let at = 1; at <= last; at++) {
    const piece = pieces[at] ?? '';
    if (at === last && isAnchored) return path.length - piece.length >= end && path.endsWith(piece);
    const found = path.indexOf(piece, end);
    if (found === -1) return false;
    end = found + piece.length;
  }
  return true;
}
