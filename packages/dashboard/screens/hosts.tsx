import type { Host, List } from '../api-types.ts';
import { call } from '../api.ts';
import { count, duration, plural } from '../format.ts';
import { Empty, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useInterval, useLoaded, useNow, useTitle } from '../parts/hooks.ts';

export function HostsScreen() {
  const { value, error, reload } = useLoaded('hosts', (signal) =>
    call<List<Host>>('/crawler/hosts?limit=200', { signal }),
  );
  useInterval(reload, 2_000);
  const now = useNow(1_000);
  useTitle('Hosts');
  return (
    <div class="page">
      <h1>Hosts</h1>
      <p class="lead">The hosts of unfinished jobs, and how fast each is asked.</p>
      {error && <ErrorNote error={error} retry={reload} />}
      {!value && !error && <Skeleton lines={5} />}
      {value?.data.length === 0 && (
        <Empty title="No host is being crawled">
          <p>
            While jobs run, this list shows what robots.txt said, the pace that the host bears, and when it rests after
            errors.
          </p>
        </Empty>
      )}
      {value && value.data.length > 0 && (
        <div class="table-box table-stacked" tabIndex={0} role="region" aria-label="Hosts">
          <table>
            <thead>
              <tr>
                <th scope="col">Host</th>
                <th scope="col" class="number">
                  In flight
                </th>
                <th scope="col">Pace</th>
                <th scope="col">robots.txt</th>
                <th scope="col">State</th>
                <th scope="col">Jobs</th>
              </tr>
            </thead>
            <tbody>
              {value.data.map((host) => (
                <tr key={host.host}>
                  <th scope="row">{host.host}</th>
                  <td class="number" data-name="In flight">
                    {host.inFlight === undefined ? '' : count(host.inFlight)}
                  </td>
                  <td data-name="Pace">{pace(host)}</td>
                  <td data-name="robots.txt">{host.robots ?? ''}</td>
                  <td data-name="State">
                    {state(host, now)}
                    {host.lastError && <div class="muted">{host.lastError.message}</div>}
                  </td>
                  <td data-name="Jobs">
                    {host.jobs.slice(0, 3).map((id) => (
                      <a key={id} class="job-link" href={`/jobs/${id}`}>
                        {id.slice(-6)}
                      </a>
                    ))}
                    {host.jobs.length > 3 && plural(host.jobs.length - 3, 'more', 'more')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {value?.cursor !== undefined && <p class="muted">Only the first {count(value.data.length)} hosts are shown.</p>}
    </div>
  );
}

function pace({ concurrency, delayMs }: Host): string {
  const parts = [
    ...(concurrency === undefined ? [] : [`${count(concurrency)} at a time`]),
    ...(delayMs === undefined || delayMs === 0
      ? []
      : [`every ${delayMs < 1000 ? `${delayMs} ms` : duration(delayMs)}`]),
  ];
  return parts.join(', ');
}

function state({ circuit, backOffUntil, isLeased }: Host, now: number) {
  if (backOffUntil !== undefined && backOffUntil > now)
    return <span class="outcome outcome-failed">rests for {duration(backOffUntil - now)}</span>;
  if (circuit === 'open') return <span class="outcome outcome-failed">circuit open</span>;
  if (circuit === 'half_open') return <span class="outcome outcome-queued">being tried</span>;
  return <span class="outcome outcome-scraped">{isLeased ? 'being crawled' : 'waits for its turn'}</span>;
}
