import type { Host, List } from '../api-types.ts';
import { count, duration, plural } from '../format.ts';
import { Empty } from '../parts/basics.tsx';
import { useNow } from '../parts/hooks.ts';
import { useGet } from '../parts/loaded.tsx';
import { Screen } from '../parts/screen.tsx';
import { BoxedTable, type Column } from '../parts/table.tsx';

export function HostsScreen() {
  const { value, notice } = useGet<List<Host>>('/crawler/hosts?limit=200', { lines: 5, everyMs: 2_000 });
  const now = useNow(1_000);
  return (
    <Screen title="Hosts" lead="The hosts of unfinished jobs, and how fast each is asked.">
      {notice}
      {value?.data.length === 0 && (
        <Empty
          title="No host is being crawled"
          text="While jobs run, this list shows what robots.txt said, the pace that the host bears, and when it rests after errors."
        />
      )}
      {value && value.data.length > 0 && (
        <BoxedTable label="Hosts" class="table-stacked" columns={columnsAt(now)} rows={value.data} />
      )}
      {value?.cursor !== undefined && <p class="muted">Only the first {count(value.data.length)} hosts are shown.</p>}
    </Screen>
  );
}

function columnsAt(now: number): readonly Column<Host>[] {
  return [
    { title: 'Host', cell: ({ host }) => host, isName: true },
    {
      title: 'In flight',
      cell: ({ inFlight }) => (inFlight === undefined ? '' : count(inFlight)),
      class: 'number',
    },
    { title: 'Pace', cell: pace },
    { title: 'robots.txt', cell: ({ robots }) => robots ?? '' },
    { title: 'State', cell: (host) => <State host={host} now={now} /> },
    { title: 'Jobs', cell: ({ jobs }) => <Jobs ids={jobs} /> },
  ];
}

function Jobs({ ids }: { ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, 3).map((id) => (
        <a key={id} class="job-link" href={`/jobs/${id}`}>
          {id.slice(-6)}
        </a>
      ))}
      {ids.length > 3 && plural(ids.length - 3, 'more', 'more')}
    </>
  );
}

function pace({ concurrency, delayMs }: Host): string {
  const width = concurrency === undefined ? '' : `${count(concurrency)} at a time`;
  const delay = delayMs === 0 ? '' : `every ${delayMs < 1000 ? `${delayMs} ms` : duration(delayMs)}`;
  return [width, delay].filter(Boolean).join(', ');
}

function State({ host, now }: { host: Host; now: number }) {
  const [kind, text] = stateOf(host, now);
  return (
    <>
      <span class={`outcome outcome-${kind}`}>{text}</span>
      {host.lastError && <div class="muted">{host.lastError.message}</div>}
    </>
  );
}

function stateOf({ circuit, backOffUntil = 0, isLeased }: Host, now: number): readonly [kind: string, text: string] {
  if (backOffUntil > now) return ['failed', `rests for ${duration(backOffUntil - now)}`];
  if (circuit === 'open') return ['failed', 'failed too often: asked again later'];
  if (circuit === 'half_open') return ['queued', 'being tried'];
  return ['scraped', isLeased ? 'being crawled' : 'waits for its turn'];
}
