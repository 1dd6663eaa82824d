// What tests of the browser share: whether there is one, and a page to render.
import type { Rendered, RenderInput, RenderedPage, ResourceRequest } from '../../src/core/ports/renderer.ts';
import { type BrowserRenderer, createBrowserRenderer } from '../../src/render/browser-renderer.ts';
import type { BrowserRendererOptions } from '../../src/render/browser-lives.ts';
import { probeBrowser } from '../../src/render/probe-browser.ts';

export const silentLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const probe = await probeBrowser({ browser: 'auto', sandbox: 'require' });

/** Why tests of the browser are skipped here; undefined where they run. */
export const browserMissing =
  probe.problem === undefined ? undefined : `${probe.problem.message} ${probe.problem.remedy}`;
if (browserMissing !== undefined) console.warn(`Tests of the browser are skipped: ${browserMissing}`);

export const isBrowserMissing = browserMissing !== undefined;

/** The path of `bwrap`; empty where there is none. */
export const probedBwrap = probe.bwrapPath ?? '';

/** A renderer with all fences, or as the options say. */
export function openRenderer(options: Partial<BrowserRendererOptions> = {}): BrowserRenderer {
  return createBrowserRenderer({
    binary: probe.path ?? '',
    bwrap: probe.bwrapPath,
    pages: 4,
    log: silentLog,
    ...options,
  });
}

export const origin = 'http://site.example';

export type Answer = string | { readonly type: string; readonly text: string; readonly status?: number };

/** A page of HTML whose requests are answered from a table by path; what is not in it is refused. */
export function pageOf(
  html: string,
  answers: Readonly<Record<string, Answer | ((request: ResourceRequest) => Answer | Promise<Answer>)>> = {},
  more: Partial<RenderInput> = {},
): RenderInput {
  return {
    url: `${origin}/page`,
    contextKey: 'job site.example:80',
    statusCode: 200,
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from(html),
    cookies: '',
    userAgent: 'hayrake/test',
    blockResources: true,
    signal: new AbortController().signal,
    ask: async (request) => {
      const answer = answers[new URL(request.url).pathname];
      if (answer === undefined) return { kind: 'refused', reason: 'not in the table' };
      const given = typeof answer === 'function' ? await answer(request) : answer;
      const {
        type,
        text,
        status = 200,
      } = typeof given === 'string' ? { type: 'application/json', text: given } : given;
      return { kind: 'resource', statusCode: status, headers: [['content-type', type]], body: Buffer.from(text) };
    },
    ...more,
  };
}

/** What a page says in the end: the text of its body, without tags. */
export function textOf(rendered: Rendered): string {
  return pageIn(rendered)
    .html.replace(/^[^]*<body[^>]*>/u, '')
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

export function pageIn(rendered: Rendered): RenderedPage {
  if (rendered.kind !== 'page') throw new Error(`no page: ${JSON.stringify(rendered)}`);
  return rendered;
}
