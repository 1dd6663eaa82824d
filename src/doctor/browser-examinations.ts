/** Checks whether pages can be rendered, and whether a page in the browser can reach this machine. */
import type { BrowserProbe, BrowserSettings, Rendered, Renderer, RenderInput } from '../core/ports/renderer.ts';
import type { Diagnosis } from '../core/ports/diagnosis.ts';
import { diagnosesOf, oneLine } from './diagnoses.ts';

/**
 * The diagnoses from a start of the browser, one for each part. A missing browser that was not required is no failure.
 */
export function browserDiagnoses({ browser, sandbox }: BrowserSettings, probe: BrowserProbe): readonly Diagnosis[] {
  const { path, version, bwrapPath, userNamespaces, isSandboxed, problem } = probe;
  if (problem?.code === 'browser_off') return [{ name: 'browser', state: 'ok', message: 'off (HAYRAKE_BROWSER)' }];
  const isWanted = browser !== 'auto';
  if (path === undefined || problem?.code === 'browser_needs_memory')
    return [problemDiagnosis('browser', probe, isWanted)];
  const found = diagnosesOf('browser').ok(`${path}${version === undefined ? '' : `, ${version}`}`);
  if (sandbox === 'off') {
    const open = diagnosesOf('sandbox').warn(
      'off (HAYRAKE_BROWSER_SANDBOX): a page that takes over the browser can reach whatever this process can.',
      'Set HAYRAKE_BROWSER_SANDBOX=require, unless the container around it can reach nothing but the web.',
    );
    return problem === undefined
      ? [found, open, ...memoryDiagnoses(probe)]
      : [found, open, problemDiagnosis('browser start', probe, isWanted)];
  }
  if (bwrapPath === undefined) return [found, problemDiagnosis('bwrap', probe, isWanted)];
  const bwrap: Diagnosis = { name: 'bwrap', state: 'ok', message: bwrapPath };
  if (!userNamespaces) return [found, bwrap, problemDiagnosis('user namespaces', probe, isWanted)];
  const namespaces: Diagnosis = { name: 'user namespaces', state: 'ok', message: 'available' };
  if (!isSandboxed) return [found, bwrap, namespaces, problemDiagnosis('browser start', probe, isWanted)];
  return [
    found,
    bwrap,
    namespaces,
    { name: 'sandbox', state: 'ok', message: 'a network namespace, and the sandbox of Chromium' },
    ...memoryDiagnoses(probe),
  ];
}

function memoryDiagnoses({ memoryHold }: BrowserProbe): readonly Diagnosis[] {
  const { ok, warn } = diagnosesOf('browser memory');
  if (memoryHold === undefined) return [];
  if (memoryHold !== 'process limits')
    return [ok(`limited by the kernel, for all processes of the browser (${memoryHold})`)];
  return [
    warn(
      'limited per process; hayrake looks at the sum ten times a second, since it can make no cgroup.',
      'Let hayrake make cgroups: `Delegate=memory` in its systemd unit, a container with a writable /sys/fs/cgroup, or root (docs/browser.md).',
    ),
  ];
}

/** A browser that was found and does not start, or was configured and is missing, is a failure. */
function problemDiagnosis(name: string, { path, problem }: BrowserProbe, isWanted: boolean): Diagnosis {
  const { message = 'It does not work.', remedy = 'Install chromium-headless-shell and bubblewrap.' } = problem ?? {};
  const without = isWanted ? '' : ' To do without a browser: HAYRAKE_BROWSER=off.';
  return {
    name,
    state: isWanted || path !== undefined ? 'fail' : 'warn',
    message: oneLine(message),
    remedy: oneLine(remedy) + without,
  };
}

/** A listener on loopback that must stay unreachable. */
export interface Canary {
  readonly port: number;
  readonly connections: () => number;
}

const host = 'hayrake-doctor.invalid';
const shown = 'The scripts have run.';
const renderMs = 20_000;

/** Renders a page whose script writes a text and tries to reach the canary, through the interception and past it. */
export async function examineRendering(renderer: Renderer, canary: Canary): Promise<readonly Diagnosis[]> {
  const asked: string[] = [];
  const startedAt = performance.now();
  const rendered = await renderer.render(pageOf(canary.port, asked));
  const ms = Math.round(performance.now() - startedAt);
  return [renderDiagnosis(rendered, ms), canaryDiagnosis(canary.connections(), asked.length)];
}

function pageOf(port: number, asked: string[]): RenderInput {
  const targets = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  const script = `
    document.body.textContent = ${JSON.stringify(shown)};
    for (const target of ${JSON.stringify(targets)}) {
      fetch('http://' + target + '/fetched', { mode: 'no-cors' }).catch(() => {});
      try { new WebSocket('ws://' + target + '/socket'); } catch {}
      navigator.sendBeacon?.('http://' + target + '/beacon');
      for (const rel of ['preconnect', 'prefetch']) document.head.append(Object.assign(document.createElement('link'), { rel, href: 'http://' + target + '/' + rel }));
    }`;
  return {
    url: `http://${host}/`,
    contextKey: 'doctor',
    statusCode: 200,
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(`<!doctype html><title>doctor</title><body><script>${script}</script>`),
    cookies: '',
    userAgent: 'hayrake doctor',
    blockResources: true,
    signal: AbortSignal.timeout(renderMs),
    ask: async ({ url }) => {
      asked.push(url);
      return { kind: 'refused', reason: 'the doctor fetches nothing' };
    },
  };
}

function renderDiagnosis(rendered: Rendered, ms: number): Diagnosis {
  const { ok, fail } = diagnosesOf('rendering');
  if (rendered.kind === 'page' && rendered.html.includes(shown))
    return ok(`a page in ${ms} ms, including the start of the browser`);
  const why = rendered.kind === 'failure' ? rendered.message : 'its script did not run.';
  return fail(
    `A page could not be rendered: ${oneLine(why)}`,
    'Read the log with HAYRAKE_LOG_LEVEL=debug. A container needs 1 GiB of memory and a /dev/shm of 64 MiB.',
  );
}

function canaryDiagnosis(connections: number, intercepted: number): Diagnosis {
  const { ok, fail } = diagnosesOf('canary');
  if (connections === 0) return ok(`a listener on loopback was not reached; ${intercepted} requests were intercepted`);
  return fail(
    `A page in the browser reached a listener on this machine ${connections} times.`,
    'Set HAYRAKE_BROWSER=off, and report this: pages could attack services on this machine.',
  );
}
