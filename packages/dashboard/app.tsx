// The frame around every screen, and which screen an address shows.
import { useEffect, useState } from 'preact/hooks';
import { session, signOut } from './api.ts';
import { ErrorNote } from './parts/basics.tsx';
import { go, path } from './router.ts';
import { HostsScreen } from './screens/hosts.tsx';
import { JobScreen } from './screens/job.tsx';
import { JobsScreen } from './screens/jobs.tsx';
import { NewJobScreen } from './screens/new-job.tsx';
import { SchedulesScreen } from './screens/schedules.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { SystemScreen } from './screens/system.tsx';
import { TokensScreen } from './screens/tokens.tsx';
import { WebhooksScreen } from './screens/webhooks.tsx';
import { setTheme, theme, type Theme } from './theme.ts';

const places = [
  ['/', 'Jobs'],
  ['/schedules', 'Schedules'],
  ['/hosts', 'Hosts'],
  ['/webhooks', 'Webhooks'],
  ['/tokens', 'Tokens'],
  ['/system', 'System'],
] as const;

export function App({ starting }: { starting: Promise<void> }) {
  const [error, setError] = useState<Error>();
  useEffect(() => {
    starting.catch((failure: unknown) => setError(failure as Error));
  }, [starting]);
  const current = session.value;
  if (error)
    return (
      <main class="center">
        <ErrorNote error={error} retry={() => location.reload()} />
      </main>
    );
  if (current === undefined) return <main class="center" aria-busy="true" />;
  if (current === null) return <SignIn />;
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header />
      <main id="content" tabIndex={-1}>
        <Screen />
      </main>
    </>
  );
}

function Header() {
  const at = path.value;
  return (
    <header class="top">
      <a class="brand" href="/">
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M7 9h18M9 9v9M14 9v12M18 9v12M23 9v9" />
        </svg>
        hayrake
      </a>
      <nav aria-label="Main">
        {places.map(([target, name]) => (
          <a key={target} href={target} aria-current={isAt(at, target) ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <details class="menu">
        <summary class="button button-plain" aria-label={`Account of org ${session.value?.org ?? ''}`}>
          <span class="org">{session.value?.org}</span>
          <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
            <path d="M2 4l4 4 4-4" />
          </svg>
        </summary>
        <div class="menu-body">
          <p class="muted">
            {session.value?.token.startsWith('operator_') === true
              ? 'HAYRAKE_TOKEN'
              : `Token ${session.value?.token ?? ''}`}
            <br />
            {session.value?.permissions.join(', ')}
          </p>
          <label class="field-inline">
            Colours
            <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
              <option value="auto">As the system</option>
              <option value="light">Light</option>
              <option value="dark">Dark</option>
            </select>
          </label>
          <a href="/openapi.json" target="_blank">
            API document
          </a>
          <button type="button" class="button" onClick={() => void leave()}>
            Sign out
          </button>
        </div>
      </details>
    </header>
  );
}

async function leave(): Promise<void> {
  await signOut().catch(() => (session.value = null));
  go('/');
}

function isAt(at: string, target: string): boolean {
  return target === '/' ? at === '/' || at === '/new' || at.startsWith('/jobs/') : at === target;
}

function Screen() {
  const at = path.value;
  const [, id, view = 'overview'] = /^\/jobs\/([^/]+)(?:\/([^/]+))?\/?$/.exec(at) ?? [];
  if (id !== undefined) return <JobScreen key={id} id={id} view={view} />;
  if (at === '/new') return <NewJobScreen />;
  if (at === '/schedules') return <SchedulesScreen />;
  if (at === '/hosts') return <HostsScreen />;
  if (at === '/webhooks') return <WebhooksScreen />;
  if (at === '/tokens') return <TokensScreen />;
  if (at === '/system') return <SystemScreen />;
  return <JobsScreen />;
}
