// Where the values of a job's records stand, as a model taught it, and how often that agreed.
import type { Job, Rules } from '../api-types.ts';
import { plural, shortUrl } from '../format.ts';
import { Code, Empty, OutLink } from '../parts/basics.tsx';
import { useGet } from '../parts/loaded.tsx';
import { type Column, Table } from '../parts/table.tsx';

type Site = Rules['sites'][number];
type Field = Site['fields'][string];

const columns: readonly Column<[string, Field]>[] = [
  { title: 'Field', cell: ([name]) => name },
  { title: 'Agreement', cell: ([, field]) => shareOf(field) },
  { title: 'Misses', cell: ([, { misses, judged }]) => `${misses} of ${judged}` },
  { title: 'Place', cell: ([, field]) => <code>{placeOf(field)}</code> },
];

export function RulesView({ job }: { job: Job }) {
  const { value, notice } = useGet<Rules>(`/crawler/jobs/${job.id}/extract`, {
    key: `${job.status} ${job.progress.scraped}`,
  });
  if (notice || !value) return notice;
  return (
    <>
      {value.sites.length === 0 && (
        <Empty title="Nothing was learned" text="The model has answered for too few pages, or has not responded." />
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
      <Table columns={columns} rows={Object.entries(fields)} />
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
