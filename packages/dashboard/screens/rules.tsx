// Where the values of a job's records stand, as a model taught it, and how often that agreed.
import type { Job, Rules } from '../api-types.ts';
import { call } from '../api.ts';
import { plural, shortUrl } from '../format.ts';
import { Code, Empty, ErrorNote, OutLink, Skeleton } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';

type Site = Rules['sites'][number];
type Field = Site['fields'][string];

export function RulesView({ job }: { job: Job }) {
  const { value, error, reload } = useLoaded(`rules ${job.id} ${job.status} ${job.progress.scraped}`, (signal) =>
    call<Rules>(`/crawler/jobs/${job.id}/extract`, { signal }),
  );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={6} />;
  return (
    <>
      {value.sites.length === 0 && (
        <Empty title="Nothing was learned">
          <p>The model has answered for too few pages, or has not responded.</p>
        </Empty>
      )}
      {value.sites.map((site) => (
        <SiteRules key={site.site} site={site} />
      ))}
      {Object.keys(value.fields).length > 0 && (
        <>
          <h2>For the next job</h2>
          <p class="muted">
            As <code>fields</code> of <code>extract</code>: the same places, without a model.
          </p>
          <Code text={JSON.stringify(value.fields, null, 2)} label="Fields for the next job" />
        </>
      )}
    </>
  );
}

function SiteRules({ site: { site, version, asked, templates, fields } }: { site: Site }) {
  return (
    <>
      <h2>{site}</h2>
      <p class="muted">
        Version {version}, from {plural(asked, 'page', 'pages')} that the model was asked about.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Agreement</th>
            <th scope="col">Misses</th>
            <th scope="col">Place</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(fields).map(([name, field]) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{shareOf(field)}</td>
              <td>
                {field.misses} of {field.judged}
              </td>
              <td>
                <code>{placeOf(field)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="plain-list">
        {templates.map(({ example, asked: pages, records, isSettled }) => (
          <li key={example}>
            <OutLink url={example}>{shortUrl(example)}</OutLink>
            <span class="muted">
              {records} of {plural(pages, 'asked page has', 'asked pages have')} a record
              {isSettled ? '' : ', still asked'}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function shareOf({ right, asked }: Field): string {
  return asked === 0 ? '' : `${Math.round((100 * right) / asked)} %`;
}

function placeOf({ locators, declaredFirst }: Field): string {
  const [first] = locators;
  return declaredFirst ? 'declared by the page' : first ? JSON.stringify(first) : '';
}
