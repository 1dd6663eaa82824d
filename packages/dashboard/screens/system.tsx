import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { System } from '../api-types.ts';
import { call, can, session } from '../api.ts';
import { bytes, count } from '../format.ts';
import { Card, Code, ErrorNote, Facts } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { useAction, useInterval } from '../parts/hooks.ts';
import { useGet, useLoaded } from '../parts/loaded.tsx';
import { Screen } from '../parts/screen.tsx';
import { BoxedTable, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';

interface Ready {
  readonly status: 'ready' | 'not_ready';
  readonly database: boolean;
  readonly worker?: boolean;
  readonly reason?: string;
}

export function SystemScreen() {
  // A service that is not ready says so with 503, which is a response here.
  const ready = useLoaded('ready', async (signal) => (await fetch('/readyz', { signal })).json() as Promise<Ready>, 4);
  const about = useGet<{ info: { version: string } }>('/openapi.json');
  useInterval(ready.reload, 5_000);
  const { value, notice } = ready;
  const current = session.value;
  return (
    <Screen title="System">
      {notice}
      <div class="overview">
        {value && (
          <Card title="Service">
            <Facts of={factsOf(value, about.value?.info.version ?? ' ')} />
          </Card>
        )}
        {current && (
          <Card title="This session">
            <Facts
              of={[
                ['Org', current.org],
                ['Token', current.token.startsWith('operator_') ? 'HAYRAKE_TOKEN' : current.token],
                ['Permissions', current.permissions.join(', ')],
                current.expiresAt !== null && ['Ends, if unused', <Time at={current.expiresAt} />],
              ]}
            />
          </Card>
        )}
        {can('operate') ? (
          <Machine />
        ) : (
          <Card title="Machine">
            <p class="muted">
              Disk, memory, queue, settings and backups are shown to a token with the permission <code>operate</code>.
            </p>
          </Card>
        )}
        <Card title="For programs">
          <Facts
            of={[
              ['API document', fileLink('/openapi.json')],
              ['Agents (MCP)', <code>{location.origin}/mcp</code>],
              ['A page as text', <code>{location.origin}/r/example.com</code>],
              ['Open WebUI loader', <code>{location.origin}/loader</code>],
              ['Prometheus', fileLink('/metrics')],
              ['Alive', fileLink('/healthz')],
            ]}
          />
        </Card>
      </div>
    </Screen>
  );
}

function factsOf({ status, database, worker, reason = 'unknown' }: Ready, version: string) {
  const crawler = { true: 'runs in this process', false: 'does not run', undefined: 'in other processes' };
  return [
    ['State', judged(status === 'ready', status === 'ready' ? 'accepts work' : 'accepts no work')],
    ['Database', judged(database, database ? 'writable' : `not writable: ${reason}`)],
    ['Crawler', judged(worker !== false, crawler[`${worker}`])],
    ['Version', version],
  ] as const;
}

function judged(isGood: boolean, text: ComponentChildren) {
  return <span class={isGood ? 'ok' : 'bad'}>{text}</span>;
}

function fileLink(path: string) {
  return (
    <a href={path} target="_blank">
      {path}
    </a>
  );
}

const settingColumns: readonly Column<System['settings'][number]>[] = [
  { title: 'Setting', cell: ({ name }) => <code>{name}</code>, isName: true },
  { title: 'Value', cell: ({ value }) => (value === '' ? <span class="muted">none</span> : value) },
  { title: 'From', cell: ({ origin }) => <span class="muted">{origin}</span> },
];

function Machine() {
  const { value, notice } = useGet<System>('/service', { everyMs: 5_000 });
  if (notice || !value) return notice;
  const { disk, memory, queue } = value;
  const free = `${bytes(disk.freeBytes)} free of ${bytes(disk.totalBytes)}; the crawl pauses below ${bytes(disk.pausesBelowBytes)}`;
  const jobs = queue.starting + queue.running;
  return (
    <>
      <Card title="Machine">
        <Facts
          of={[
            ['Disk', judged(disk.freeBytes > disk.pausesBelowBytes, free)],
            ['Data', <Data of={value} />],
            ['Memory', `${bytes(memory.usedBytes)} of ${bytes(memory.limitBytes)}`],
            ['Browser', value.hasBrowser ? 'ready' : 'none: pages are read without JavaScript'],
            [
              'Queue',
              `${count(queue.queued)} URLs, ${count(queue.inFlight)} in flight, ${count(jobs)} jobs, ${count(queue.deliveries)} webhook events`,
            ],
            ['Started', <Time at={value.startedAt} />],
          ]}
        />
      </Card>
      <Backup database={value.database} />
      <section class="card overview-wide overview-last">
        <details>
          <summary>
            <h2 class="inline">Settings</h2>
          </summary>
          <BoxedTable label="Settings" class="settings" columns={settingColumns} rows={value.settings} />
        </details>
      </section>
    </>
  );
}

function Data({ of: { dataBytes, place } }: { of: System }) {
  return (
    <>
      {dataBytes !== null && `${bytes(dataBytes)} in `}
      <code>{place}</code>
    </>
  );
}

function Backup({ database }: { database: System['database'] }) {
  const [made, setMade] = useState<{ readonly file: string; readonly bytes: number }>();
  const { isBusy, error, run } = useAction();
  const make = async (): Promise<void> => {
    setMade(undefined);
    setMade(await call('/service/backup', { method: 'POST' }));
  };
  return (
    <Card title="Backup">
      {database === 'postgresql' ? (
        <p class="muted">The data is in PostgreSQL: back it up with its own tools, such as pg_dump.</p>
      ) : (
        <>
          <p class="muted">One file with everything, checked, in the folder backups of the data directory.</p>
          {error && <ErrorNote error={error} />}
          {made && (
            <div role="status">
              <p>
                {bytes(made.bytes)} were written. <code>hayrake restore</code> reads it:
              </p>
              <Code label="The backup" text={made.file} />
            </div>
          )}
          <div class="row">
            <Button label={isBusy ? 'Backing up …' : 'Back up now'} disabled={isBusy} click={() => run(make)} />
          </div>
        </>
      )}
    </Card>
  );
}
