import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { System } from '../api-types.ts';
import { call, can, session } from '../api.ts';
import { bytes, count } from '../format.ts';
import { Code, ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useAction, useInterval, useLoaded, useTitle } from '../parts/hooks.ts';
import { Time } from '../parts/time.tsx';

interface Ready {
  readonly status: 'ready' | 'not_ready';
  readonly database: boolean;
  readonly worker?: boolean;
  readonly reason?: string;
}

export function SystemScreen() {
  // A service that is not ready says so with 503, which is a response here.
  const ready = useLoaded('ready', async (signal) => {
    const response = await fetch('/readyz', { signal });
    return (await response.json()) as Ready;
  });
  const about = useLoaded('about', (signal) => call<{ info: { version: string } }>('/openapi.json', { signal }));
  useInterval(ready.reload, 5_000);
  useTitle('System');
  const { value, error } = ready;
  const current = session.value;
  return (
    <div class="page">
      <h1>System</h1>
      {error && <ErrorNote error={error} retry={ready.reload} />}
      {!value && !error && <Skeleton lines={4} />}
      <div class="overview">
        {value && (
          <section class="card">
            <h2>Service</h2>
            <dl class="facts">
              <Fact name="State" good={value.status === 'ready'}>
                {value.status === 'ready' ? 'accepts work' : 'accepts no work'}
              </Fact>
              <Fact name="Database" good={value.database}>
                {value.database ? 'writable' : `not writable: ${value.reason ?? 'unknown'}`}
              </Fact>
              <Fact name="Crawler" good={value.worker !== false}>
                {value.worker === undefined
                  ? 'in other processes'
                  : value.worker
                    ? 'runs in this process'
                    : 'does not run'}
              </Fact>
              <Fact name="Version">{about.value?.info.version ?? ' '}</Fact>
            </dl>
          </section>
        )}
        {current && (
          <section class="card">
            <h2>This session</h2>
            <dl class="facts">
              <Fact name="Org">{current.org}</Fact>
              <Fact name="Token">{current.token.startsWith('operator_') ? 'HAYRAKE_TOKEN' : current.token}</Fact>
              <Fact name="Permissions">{current.permissions.join(', ')}</Fact>
              {current.expiresAt !== null && (
                <Fact name="Ends, if unused">
                  <Time at={current.expiresAt} />
                </Fact>
              )}
            </dl>
          </section>
        )}
        {can('operate') ? (
          <Machine />
        ) : (
          <section class="card">
            <h2>Machine</h2>
            <p class="muted">
              Disk, memory, queue, settings and backups are shown to a token with the permission <code>operate</code>.
            </p>
          </section>
        )}
        <section class="card">
          <h2>For programs</h2>
          <dl class="facts">
            <Fact name="API document">
              <a href="/openapi.json" target="_blank">
                /openapi.json
              </a>
            </Fact>
            <Fact name="Agents (MCP)">
              <code>{location.origin}/mcp</code>
            </Fact>
            <Fact name="A page as text">
              <code>{location.origin}/r/example.com</code>
            </Fact>
            <Fact name="Open WebUI loader">
              <code>{location.origin}/loader</code>
            </Fact>
            <Fact name="Prometheus">
              <a href="/metrics" target="_blank">
                /metrics
              </a>
            </Fact>
            <Fact name="Alive">
              <a href="/healthz" target="_blank">
                /healthz
              </a>
            </Fact>
          </dl>
        </section>
      </div>
    </div>
  );
}

function Machine() {
  const { value, error, reload } = useLoaded('system', (signal) => call<System>('/service', { signal }));
  useInterval(reload, 5_000);
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={6} />;
  const { disk, memory, queue } = value;
  return (
    <>
      <section class="card">
        <h2>Machine</h2>
        <dl class="facts">
          <Fact name="Disk" good={disk.freeBytes > disk.pausesBelowBytes}>
            {bytes(disk.freeBytes)} free of {bytes(disk.totalBytes)}; the crawl pauses below{' '}
            {bytes(disk.pausesBelowBytes)}
          </Fact>
          <Fact name="Data">
            {value.dataBytes !== null && `${bytes(value.dataBytes)} in `}
            <code>{value.place}</code>
          </Fact>
          <Fact name="Memory">
            {bytes(memory.usedBytes)} of {bytes(memory.limitBytes)}
          </Fact>
          <Fact name="Browser">{value.hasBrowser ? 'ready' : 'none: pages are read without JavaScript'}</Fact>
          <Fact name="Queue">
            {count(queue.queued)} URLs, {count(queue.inFlight)} in flight, {count(queue.starting + queue.running)} jobs,{' '}
            {count(queue.deliveries)} webhook events
          </Fact>
          <Fact name="Started">
            <Time at={value.startedAt} />
          </Fact>
        </dl>
      </section>
      <Backup database={value.database} />
      <section class="card overview-notices">
        <details>
          <summary>
            <h2 class="inline">Settings</h2>
          </summary>
          <div class="table-box settings" tabIndex={0} role="region" aria-label="Settings">
            <table>
              <thead>
                <tr>
                  <th scope="col">Setting</th>
                  <th scope="col">Value</th>
                  <th scope="col">From</th>
                </tr>
              </thead>
              <tbody>
                {value.settings.map((row) => (
                  <tr key={row.name}>
                    <th scope="row">
                      <code>{row.name}</code>
                    </th>
                    <td>{row.value === '' ? <span class="muted">none</span> : row.value}</td>
                    <td class="muted">{row.origin}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      </section>
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
    <section class="card">
      <h2>Backup</h2>
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
          <div class="actions">
            <button type="button" class="button" disabled={isBusy} onClick={() => void run(make)}>
              {isBusy ? 'Backing up …' : 'Back up now'}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

function Fact({ name, children, good }: { name: string; children: ComponentChildren; good?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={good === undefined ? '' : good ? 'ok' : 'bad'}>{children}</dd>
    </div>
  );
}
