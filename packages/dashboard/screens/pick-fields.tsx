// The values that a page has, with their places: the chosen ones become the option `extract` of a new job.
import { useMemo } from 'preact/hooks';
import type { Job, PageResult } from '../api-types.ts';
import { inertHtml } from '../inert-html.ts';
import { Code, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';
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
  const { value, error, reload } = useLoaded(`source ${job.id} ${number}`, async (signal) => {
    const { html, isNew } = await sourceOf(job, page, signal);
    const { html: plain, isCut } = plainHtml(html);
    const values = foundValues(inertHtml.parsedPage(plain), url);
    return { values, isNew, isEmpty: html === '', isCut: isCut || values.length >= valuesMax };
  });
  const text = useMemo(() => JSON.stringify({ fields: picked }, null, 2), [picked]);
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={8} />;
  if (value.isEmpty) return <p class="note">This page is a file, so it has no elements.</p>;
  // On another page, a place can have another name.
  const othersThan = ({ field }: FoundValue): [string, Field][] =>
    Object.entries(picked).filter(([, { css, label }]) => css !== field.css || label !== field.label);
  const set = (value: FoundValue, isPicked: boolean): void => {
    const others = othersThan(value);
    const name = freeName(value.name, new Set(others.map(([other]) => other)));
    setPicked(Object.fromEntries(isPicked ? [...others, [name, value.field]] : others));
  };
  return (
    <div class="pick">
      {value.isNew && (
        <p class="muted">
          The page was requested once more, since this job keeps no HTML (<code>store_raw</code>).
        </p>
      )}
      {value.isCut && <p class="note note-warn">This page is long: only values of its beginning are listed.</p>}
      <table class="pick-values" aria-label="Values of the page">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Place</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {value.values.map((each) => (
            <tr key={each.name}>
              <td>
                <label>
                  <input
                    type="checkbox"
                    checked={othersThan(each).length < Object.keys(picked).length}
                    onChange={(event) => set(each, event.currentTarget.checked)}
                  />
                  {each.name}
                </label>
              </td>
              <td>{each.field.css === undefined ? `beside “${each.field.label}”` : <code>{each.field.css}</code>}</td>
              <td dir="auto">
                {each.texts.join(' · ')}
                {each.matches > each.texts.length && <span class="muted"> … {each.matches} in all</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {value.values.length === 0 && <p class="note">No value of this page has a name of its template.</p>}
      {Object.keys(picked).length > 0 && (
        <>
          <Code text={text} label="The option extract" />
          <p>
            <a
              class="button button-primary"
              href={`/new?from=${job.id}#extract=${encodeURIComponent(JSON.stringify({ fields: picked }))}`}
            >
              New job with these fields
            </a>
          </p>
        </>
      )}
    </div>
  );
}
