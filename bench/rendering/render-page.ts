// A page of the set as hayrake's own browser leaves it, with all its fences.
import { createBrowserRenderer } from '../../src/render/browser-renderer.ts';
import { probeBrowser } from '../../src/render/probe-browser.ts';

export interface PageRenderer {
  /** The document in the end; empty where rendering fails. */
  render(url: string, html: string): Promise<string>;
  close(): Promise<void>;
}

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };

/** Throws where there is no browser, with what to do about it. */
export async function openPageRenderer(pages: number): Promise<PageRenderer> {
  const { path: binary = '', bwrapPath: bwrap, problem } = await probeBrowser({ browser: 'auto', sandbox: 'require' });
  if (problem !== undefined) throw new Error(`${problem.message} ${problem.remedy}`);
  const renderer = createBrowserRenderer({ binary, bwrap, pages, log });
  const render = async (url: string, html: string): Promise<string> => {
    const rendered = await renderer.render({
      url,
      contextKey: url,
      statusCode: 200,
      contentType: 'text/html; charset=utf-8',
      body: Buffer.from(html),
      cookies: '',
      userAgent: 'hayrake/bench',
      blockResources: true,
      signal: AbortSignal.timeout(60_000),
      ask: async (resource) => {
        // Pages also name counters of visitors, which are not here.
        if (new URL(resource.url).origin !== new URL(url).origin) return { kind: 'refused', reason: 'another host' };
        const answer = await fetch(resource.url);
        const body = new Uint8Array(await answer.arrayBuffer());
        return { kind: 'resource', statusCode: answer.status, headers: [...answer.headers], body };
      },
    });
    if (rendered.kind === 'page') return rendered.html;
    if (rendered.kind === 'failure') console.error(`${url}: ${rendered.message}`);
    return '';
  };
  return { render, close: () => renderer.close() };
}
