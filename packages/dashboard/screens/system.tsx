import { useEffect } from 'preact/hooks';
import { call, session } from '../api.ts';
import { exactTime } from '../format.ts';
import { ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useInterval, useLoaded } from '../parts/hooks.ts';

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
  useEffect(() => void (document.title = 'System · hayrake'), []);
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
              <Fact
                name="State"
                good={value.status === 'ready'}
                value={value.status === 'ready' ? 'accepts work' : 'accepts no work'}
              />
              <Fact
                name="Database"
                good={value.database}
                value={value.database ? 'writable' : `not writable: ${value.reason ?? 'unknown'}`}
              />
              <Fact
                name="Crawler"
                good={value.worker !== false}
                value={
                  value.worker === undefined
                    ? 'in other processes'
                    : value.worker
                      ? 'runs in this process'
                      : 'does not run'
                }
              />
              <Fact name="Version" value={about.value?.info.version ?? ' '} />
            </dl>
          </section>
        )}
        {current && (
          <section class="card">
            <h2>This session</h2>
            <dl class="facts">
              <Fact name="Org" value={current.org} />
              <Fact name="Token" value={current.token.startsWith('operator_') ? 'HAYRAKE_TOKEN' : current.token} />
              <Fact name="Permissions" value={current.permissions.join(', ')} />
              {current.expiresAt !== null && <Fact name="Ends, if unused" value={exactTime(current.expiresAt)} />}
            </dl>
          </section>
        )}
      </div>
      <p>
        <a href="/metrics" target="_blank">
          Metrics
        </a>{' '}
        for Prometheus ·{' '}
        <a href="/openapi.json" target="_blank">
          API document
        </a>
      </p>
    </div>
  );
}

function Fact({ name, value, good }: { name: string; value: string; good?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={good === undefined ? '' : good ? 'ok' : 'bad'}>{value}</dd>
    </div>
  );
}
