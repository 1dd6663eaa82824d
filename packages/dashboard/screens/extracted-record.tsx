// The structured data of a page, and what is wrong with it.
import type { PageResult } from '../api-types.ts';
import { words } from '../format.ts';
import { Metadata } from './metadata.tsx';

export function ExtractedRecord({ page: { extracted, meta } }: { page: PageResult }) {
  if (extracted === undefined || extracted === null) return <p class="note">The page has no record.</p>;
  const { problems = {} } = (meta.meta['extractedFrom'] ?? {}) as { problems?: Readonly<Record<string, string>> };
  const found = Object.entries(problems).map(([field, problem]) => `${field} (${words(problem)})`);
  return (
    <div>
      {found.length > 0 && <p class="note note-warn">Not whole: {found.join(', ')}.</p>}
      <Metadata fields={extracted} />
    </div>
  );
}
