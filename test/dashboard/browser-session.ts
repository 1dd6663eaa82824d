/// <reference lib="dom" />
// A real browser that opens the dashboard of a real service, and notes what must not happen.
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../src/render/find-browser.ts';
import type { TestService } from '../service/start-service.ts';

const binary = findBrowser('auto');
export const isBrowserMissing = binary === undefined;
if (isBrowserMissing)
  console.warn('Tests of the dashboard are skipped: no browser was found. Install chromium-headless-shell.');

export interface BrowserSession {
  readonly page: Page;
  /** Violations of the content security policy, of the page and of its frames. */
  readonly violations: readonly string[];
  /** URLs of other origins that were requested, and dialogs, popups and errors of scripts. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** Opens a browser with nothing in it. */
export async function openBrowser(service: TestService): Promise<BrowserSession> {
  const browser: Browser = await chromium.launch({ ...(binary !== undefined && { executablePath: binary }) });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const violations: string[] = [];
  const faults: string[] = [];
  page.on('console', (message) => {
    if (/content security policy|trusted ?types/i.test(message.text())) violations.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('page', (opened) => faults.push(`popup: ${opened.url()}`));
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${service.origin}/`) && !/^(data|about):/.test(url)) faults.push(`request: ${url}`);
  });
  return { page, violations, faults, close: () => browser.close() };
}

/** The login link of the process that runs now. */
export function loginLink(service: TestService): string {
  const link = /http:\S+\/login\?code=[\w-]+/.exec(service.stdout)?.[0];
  if (link === undefined) throw new Error(`no login link:\n${service.stdout}`);
  return link;
}

/** Serious findings of axe-core about the page as it is. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, { iframes: false }),
  );
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html: text }) => text.slice(0, 120)).join(' | ')}`);
}
