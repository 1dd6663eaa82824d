// The structured data of a page, and what is wrong with it.
import type { PageResult } from '../api-types.ts';
import { words } from '../format.ts';
import { Metadata } from './metadata.tsx';

export function ExtractedRecord({ page }: { page: PageResult }) {
  const { extracted } = page;
  if (extracted === undefined || extracted === null) return <p class="note">The page has no record.</p>;
  const found = Object.entries(problemsOf(page.meta.meta)).map(([field, problem]) => `${field} (${words(problem)})`);
  return (
    <div>
      {found.length > 0 && <p class="note note-warn">Not whole: {found.join(', ')}.</p>}
      <Metadata fields={extracted} />
    </div>
  );
}

/** The code of what is wrong with a field, by its name. */
export function problemsOf(meta: PageResult['meta']['meta']): Readonly<Record<string, string>> {
  const { problems = {} } = (meta['extractedFrom'] ?? {}) as { problems?: Readonly<Record<string, string>> };
  return problems;
}
