// The operator's SearXNG, asked for JSON. Its results come from the web: sizes and types are checked.
import { parseHttpUrl } from '../url/parse-url.ts';
import { FacadeError } from './facade-error.ts';

/** Fields of the form that SearXNG reads. */
export type WebQuery = { readonly q: string } & Readonly<Record<string, string>>;

/** Sends a query and returns the body of the response. Rejects without a response. */
export type AskSearchEngine = (
  query: WebQuery,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly text: string }>;

export interface WebResult {
  readonly url: string;
  readonly title: string;
  readonly description: string;
}

const textMax = 2_000;

/** Returns the first results, each URL once. Throws a `FacadeError` if the search engine does not work. */
export async function searchWeb(
  ask: AskSearchEngine,
  query: WebQuery,
  limit: number,
  signal: AbortSignal,
): Promise<readonly WebResult[]> {
  const { status, text } = await ask(query, signal).catch((error: unknown) => {
    const why = signal.aborted ? 'it did not respond in time' : error instanceof Error ? error.message : String(error);
    throw broken(why);
  });
  // SearXNG refuses formats that its settings do not list.
  if (status === 403) throw broken('it refuses JSON: add `json` to `search.formats` in its settings');
  if (status !== 200) throw broken(`it responded with ${status}`);
  const found = new Map<string, WebResult>();
  for (const { url, title, content } of resultsIn(text)) {
    if (found.size === limit) break;
    if (typeof url !== 'string' || 'problem' in parseHttpUrl(url) || found.has(url)) continue;
    found.set(url, { url, title: textIn(title), description: textIn(content) });
  }
  return [...found.values()];
}

interface Given {
  readonly url?: unknown;
  readonly title?: unknown;
  readonly content?: unknown;
}

function resultsIn(text: string): readonly Given[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw broken('its response is not JSON');
  }
  const results = typeof body === 'object' && body !== null && 'results' in body ? body.results : undefined;
  if (!Array.isArray(results)) throw broken('its response has no `results`');
  return results.filter((one: unknown) => typeof one === 'object' && one !== null);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, textMax) : '';
}

function broken(why: string): FacadeError {
  return new FacadeError(500, 'SEARCH_FAILED', `The search engine of this service does not work: ${why}.`);
}
