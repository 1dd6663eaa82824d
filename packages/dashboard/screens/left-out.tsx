// What was left out of a page.
import type { Dropped } from '../api-types.ts';
import { call } from '../api.ts';
import { count, plural } from '../format.ts';
import { ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useLoaded, useSettled } from '../parts/hooks.ts';

/** Moving through the list of pages with the keyboard reads none of those that are passed. */
const restMs = 400;

export function LeftOut({ jobId, page }: { jobId: string; page: number }) {
  const path = `/crawler/jobs/${jobId}/pages/${page}/dropped`;
  const settled = useSettled(path, restMs);
  const { value, error, isLoading, reload } = useLoaded(settled, (signal) => call<Dropped>(settled, { signal }));
  if (settled !== path || (isLoading && !value))
    return (
      <div role="status">
        <Skeleton lines={6} />
      </div>
    );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return null;
  return <LeftOutTexts data={value.data} />;
}

export function LeftOutTexts({ data }: { data: Dropped['data'] }) {
  const words = data.reduce((sum, one) => sum + one.words, 0);
  return (
    <div class="left-out" tabIndex={0} role="region" aria-label="What was left out">
      <p>
        {data.length === 0 ? 'Nothing is left out' : `${plural(words, 'word')} left out`} of the page as it was read.
      </p>
      {data.length > 0 && (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">Rule</th>
                <th scope="col">Words</th>
                <th scope="col">Beginning</th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ rule, words: ofText, text, cut }, index) => (
                <tr key={index}>
                  <td>
                    <code>{rule}</code>
                  </td>
                  <td>{count(ofText)}</td>
                  <td dir="auto">
                    {text}
                    {cut && ' …'}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="muted">
            To keep a part, crawl with <code>include_elements</code>, or with <code>content: full</code>.
          </p>
        </>
      )}
    </div>
  );
}
