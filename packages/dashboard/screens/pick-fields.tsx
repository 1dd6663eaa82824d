// The values that a page has, with their places: the chosen ones become the option `extract` of a new job.
import { useMemo } from 'preact/hooks';
import type { Job, PageResult } from '../api-types.ts';
import { inertHtml } from '../inert-html.ts';
import { Code } from '../parts/basics.tsx';
import { LinkButton } from '../parts/button.tsx';
import { Check } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loaded.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { type Field, type FoundValue, foundValues, freeName, valuesMax } from '../pick/found-values.ts';
import { sourceOf } from '../pick/page-source.ts';
import { plainHtml } from '../pick/plain-html.ts';

export type Picked = Readonly<Record<string, Field>>;

interface Props {
  readonly job: Job;
  readonly page: PageResult;
  /** They stay while other pages of the job are opened. */
  readonly picked: Picked;
  readonly setPicked: (picked: Picked) => void;
}

export function PickFields({ job, page, picked, setPicked }: Props) {
  const { url, page: number } = page.meta;
  const { value, notice } = useLoaded(`source ${job.id} ${number}`, async (signal) => {
    const { html, isNew } = await sourceOf(job, page, signal);
    const { html: plain, isCut } = plainHtml(html);
    const values = foundValues(inertHtml.parsedPage(plain), url);
    return { values, isNew, isEmpty: html === '', isCut: isCut || values.length >= valuesMax };
  });
  const text = useMemo(() => JSON.stringify({ fields: picked }, null, 2), [picked]);
  if (notice || !value) return notice;
  if (value.isEmpty) return <p class="note">This page is a file, so it has no elements.</p>;
  // On another page, a place can have another name.
  const othersThan = ({ field }: FoundValue): [string, Field][] =>
    Object.entries(picked).filter(([, { css, label }]) => css !== field.css || label !== field.label);
  const set = (value: FoundValue, isPicked: boolean): void => {
    const others = othersThan(value);
    const name = freeName(value.name, new Set(others.map(([other]) => other)));
    setPicked(Object.fromEntries(isPicked ? [...others, [name, value.field]] : others));
  };
  const columns: readonly Column<FoundValue>[] = [
    {
      title: 'Field',
      cell: (each) => (
        <label>
          <Check
            checked={othersThan(each).length < Object.keys(picked).length}
            set={(isPicked) => set(each, isPicked)}
          />
          {each.name}
        </label>
      ),
    },
    {
      title: 'Place',
      cell: ({ field: { css, label } }) => (css === undefined ? `beside “${label}”` : <code>{css}</code>),
    },
    { title: 'Value', cell: (each) => <Texts found={each} /> },
  ];
  return (
    <div class="pick">
      {value.isNew && (
        <p class="muted">
          The page was requested once more, since this job keeps no HTML (<code>store_raw</code>).
        </p>
      )}
      {value.isCut && <p class="note note-warn">This page is long: only values of its beginning are listed.</p>}
      <Table class="pick-values" label="Values of the page" columns={columns} rows={value.values} />
      {value.values.length === 0 && <p class="note">No value of this page has a name of its template.</p>}
      {Object.keys(picked).length > 0 && (
        <>
          <Code text={text} label="The option extract" />
          <p>
            <LinkButton
              kind="primary"
              label="New job with these fields"
              href={`/new?from=${job.id}#extract=${encodeURIComponent(JSON.stringify({ fields: picked }))}`}
            />
          </p>
        </>
      )}
    </div>
  );
}

function Texts({ found: { texts, matches } }: { found: FoundValue }) {
  return (
    <div dir="auto">
      {texts.join(' · ')}
      {matches > texts.length && <span class="muted"> … {matches} in all</span>}
    </div>
  );
}
