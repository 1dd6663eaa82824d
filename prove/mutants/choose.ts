// Which mutants a check tries: those of changed files, and a sample that is another one for each commit.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type Mutant, root } from './read-mutants.ts';

export interface Chosen {
  readonly tried: readonly Mutant[];
  /** Their files changed too, but there is no room for them. */
  readonly left: readonly Mutant[];
}

/** At most `max` of changed files, and `max` others. `commit` decides which. */
export function chooseMutants(mutants: readonly Mutant[], { commit, changed }: Changes, max: number): Chosen {
  const places = new Map(
    mutants.map(({ name }) => [
      name,
      createHash('sha256')
        .update(commit + name)
        .digest('hex'),
    ]),
  );
  const placeOf = ({ name }: Mutant): string => places.get(name) ?? '';
  const shuffled = mutants.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const isChanged = ({ file, test }: Mutant): boolean => changed.has(file) || changed.has(test);
  const first = shuffled.filter(isChanged).slice(0, max);
  const sample = shuffled.filter((mutant) => !first.includes(mutant)).slice(0, max);
  const tried = [...first, ...sample];
  return { tried, left: shuffled.filter((mutant) => isChanged(mutant) && !tried.includes(mutant)) };
}

export interface Changes {
  /** Empty outside of a Git repository. */
  readonly commit: string;
  /** Relative to the root. */
  readonly changed: ReadonlySet<string>;
}

/** What differs from the main branch or, on the main branch, from the commit before. In a shallow clone: nothing. */
export function changesOfCheckout(): Changes {
  const commit = git('rev-parse', 'HEAD') ?? '';
  const branches = ['origin/main', 'main'].map((main) => git('merge-base', 'HEAD', main));
  const base = branches.find((found) => found !== undefined && found !== commit) ?? git('rev-parse', 'HEAD~1');
  const changed = git('diff', '--name-only', '--relative', base ?? 'HEAD') ?? '';
  return { commit, changed: new Set(changed.split('\n')) };
}

/** Undefined if it fails. */
function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
