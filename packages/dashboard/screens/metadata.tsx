// Fields and their values, as they come from the web: text, never HTML.
import type { PageResult } from '../api-types.ts';
import { words } from '../format.ts';
import { Facts } from '../parts/basics.tsx';

export function Metadata({ fields }: { fields: Readonly<Record<string, unknown>> }) {
  const shown = (value: unknown) => (Array.isArray(value) ? <List items={value} /> : shownValue(value));
  return <Facts class="metadata" of={Object.entries(fields).map(([name, value]) => [name, shown(value)] as const)} />;
}

function List({ items }: { items: readonly unknown[] }) {
  return (
    <ul>
      {items.map((item, index) => (
        <li key={index}>{shownValue(item)}</li>
      ))}
    </ul>
  );
}

/** Nothing for a value that is missing. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The structured data of a page, and what is wrong with it. */
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
