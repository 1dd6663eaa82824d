// The browser of this program, according to the settings.
import type { Config } from '../config/config.ts';
import { planOf } from './plan-of.ts';
import type { Log } from '../core/ports/log.ts';
import type { BrowserSettings } from '../core/ports/renderer.ts';
import { type BrowserRenderer, createBrowserRenderer } from '../render/browser-renderer.ts';
import { openBrowserMemory } from '../render/browser-memory.ts';
import { findUsableBrowser } from '../render/probe-browser.ts';

/**
 * Undefined if no page can be rendered: the log has the reason, unless no browser was requested. The first page starts
 * the browser.
 */
export async function openBrowser(config: Config, log: Log): Promise<BrowserRenderer | undefined> {
  const { path, bwrapPath, problem } = await findUsableBrowser(browserSettings(config));
  if (problem !== undefined || path === undefined) {
    // Most machines have none, and most sites need none: a job reports how many of its pages needed one.
    const isExpected = config.browser === 'off' || (config.browser === 'auto' && path === undefined);
    if (!isExpected) log.warn('pages are not rendered', { why: problem?.message, remedy: problem?.remedy });
    return undefined;
  }
  const isSandboxed = config.browserSandbox === 'require';
  if (!isSandboxed) {
    log.warn(
      'the browser runs without a network namespace and without its sandbox: a page that takes it over can reach whatever this process can (HAYRAKE_BROWSER_SANDBOX=off)',
    );
  }
  return createBrowserRenderer({
    binary: path,
    bwrap: isSandboxed ? bwrapPath : undefined,
    pages: config.browserPages,
    log,
    openMemory: () => openBrowserMemory(planOf(config).browserMb * 2 ** 20),
  });
}

/** Returns true if a process with these settings can render pages. */
export async function hasBrowser(config: Config): Promise<boolean> {
  return (await findUsableBrowser(browserSettings(config))).problem === undefined;
}

export function browserSettings({ browser, browserSandbox, memoryMb }: Config): BrowserSettings {
  return { browser, sandbox: browserSandbox, memoryMb };
}
