// The frame around every screen, and which screen an address shows.
import { useEffect, useState } from 'preact/hooks';
import type { Session } from './api-types.ts';
import { session, signOut } from './api.ts';
import { ErrorNote, Logo } from './parts/basics.tsx';
import { Button } from './parts/button.tsx';
import { Select } from './parts/controls.tsx';
import { Menu } from './parts/menu.tsx';
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
  ['/', 'Jobs', JobsScreen],
  ['/schedules', 'Schedules', SchedulesScreen],
  ['/hosts', 'Hosts', HostsScreen],
  ['/webhooks', 'Webhooks', WebhooksScreen],
  ['/tokens', 'Tokens', TokensScreen],
  ['/system', 'System', SystemScreen],
] as const;

const themes: readonly (readonly [string, Theme])[] = [
  ['As the system', 'auto'],
  ['Light', 'light'],
  ['Dark', 'dark'],
];

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
      <Header session={current} />
      <main id="content" tabIndex={-1}>
        <Screen />
      </main>
    </>
  );
}

function Header({ session: { org, token, permissions } }: { session: Session }) {
  const at = path.value;
  return (
    <header class="top">
      <a class="brand" href="/">
        <Logo size={26} />
        hayrake
      </a>
      <nav aria-label="Main">
        {places.map(([target, name]) => (
          <a key={target} href={target} aria-current={isAt(at, target) ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <Menu class="button-plain" label={<span class="org clip">{org}</span>} name={`Account of org ${org}`}>
        <p class="muted">
          {token.startsWith('operator_') ? 'HAYRAKE_TOKEN' : `Token ${token}`}
          <br />
          {permissions.join(', ')}
        </p>
        <label class="field">
          Colours
          <Select options={themes} value={theme.value} set={setTheme} />
        </label>
        <a href="/openapi.json" target="_blank">
          API document
        </a>
        <Button label="Sign out" click={leave} />
      </Menu>
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
  const [, , Shown] = places.find(([target]) => target === at) ?? places[0];
  return <Shown />;
}
