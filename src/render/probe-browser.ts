import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  browserNeedsMb,
  type BrowserProbe,
  type BrowserProblem,
  type BrowserSettings,
  type ProbeBrowser,
} from '../core/ports/renderer.ts';
import { openBrowserMemory } from './browser-memory.ts';
import { findBrowser, findBwrap } from './find-browser.ts';
import { launchBrowser, LaunchError } from './launch-browser.ts';

const run = promisify(execFile);
const namespaceMs = 10_000;
/** The probe opens no page, so nothing needs to listen. */
const closedPort = 9;

const nothing: BrowserProbe = { userNamespaces: false, isSandboxed: false };

const install = '`apt-get install chromium-headless-shell bubblewrap` (Debian)';

/** Finds the browser and starts it once, as configured. */
export const probeBrowser: ProbeBrowser = async (settings) => {
  const found = await findUsableBrowser(settings);
  return found.problem === undefined ? started(found, settings.sandbox === 'require') : found;
};

/** Finds the browser and the tools for its sandbox without a start: 10 ms instead of a second. Never rejects. */
export async function findUsableBrowser({ browser, sandbox, memoryMb }: BrowserSettings): Promise<BrowserProbe> {
  if (browser === 'off') {
    return withProblem(nothing, 'browser_off', 'The browser is switched off.', 'Set HAYRAKE_BROWSER=auto.');
  }
  const isRequired = sandbox === 'require';
  const binary = findBrowser(browser);
  if (binary === undefined) {
    const message = browser === 'auto' ? 'No browser was found.' : `There is no browser at ${browser}.`;
    const remedy =
      browser === 'auto' ? `Install one: ${install}.` : 'Set HAYRAKE_BROWSER to a Chromium binary, not a script.';
    return withProblem(nothing, 'browser_not_found', message, remedy);
  }
  const found = { ...nothing, path: binary };
  if (memoryMb !== undefined && memoryMb < browserNeedsMb) {
    return withProblem(
      found,
      'browser_needs_memory',
      `${memoryMb} MiB are too few for a browser.`,
      `Give the process ${browserNeedsMb} MiB or more (HAYRAKE_MEMORY_MB), or set HAYRAKE_BROWSER=off.`,
    );
  }
  if (isRequired && process.platform !== 'linux') {
    return withProblem(
      found,
      'browser_not_supported_here',
      'The browser can be isolated only on Linux.',
      'Run hayrake on Linux or in its container, or accept a browser without isolation with HAYRAKE_BROWSER_SANDBOX=off.',
    );
  }
  const bwrap = findBwrap();
  if (bwrap === undefined) {
    return isRequired
      ? withProblem(found, 'bwrap_not_found', 'bwrap was not found.', `Install it: ${install}.`)
      : found;
  }
  const userNamespaces = await canUnshare(bwrap);
  const known = { ...found, bwrapPath: bwrap, userNamespaces };
  if (userNamespaces || !isRequired) return known;
  return withProblem(
    known,
    'user_namespaces_denied',
    'This process may not create user namespaces, so the browser cannot be isolated.',
    'Set kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0 and kernel.apparmor_restrict_unprivileged_userns=0; for a container see docs/browser.md.',
  );
}

async function started(known: BrowserProbe, isRequired: boolean): Promise<BrowserProbe> {
  const { path: binary = '', bwrapPath } = known;
  const memory = await openBrowserMemory();
  try {
    const launched = await launchBrowser({
      binary,
      memory,
      proxyPort: closedPort,
      ...(isRequired && bwrapPath !== undefined && { bwrap: bwrapPath }),
    });
    await launched.kill();
    return { ...known, version: launched.version, isSandboxed: isRequired, memoryHold: memory.hold };
  } catch (error) {
    const why = error instanceof LaunchError ? error.message : String(error);
    return withProblem(
      known,
      'browser_start_failed',
      `The browser does not start: ${why}`,
      `Install one that hayrake supports: ${install}.`,
    );
  } finally {
    await memory.close();
  }
}

async function canUnshare(bwrap: string): Promise<boolean> {
  const args = ['--unshare-user', '--uid', '1000', '--unshare-net', '--ro-bind', '/', '/', '--', 'true'];
  try {
    await run(bwrap, args, { timeout: namespaceMs });
    return true;
  } catch {
    return false;
  }
}

function withProblem(found: BrowserProbe, code: BrowserProblem['code'], message: string, remedy: string): BrowserProbe {
  return { ...found, problem: { code, message, remedy } };
}
