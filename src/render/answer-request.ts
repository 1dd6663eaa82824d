// How a request of a page is answered. Nothing that a page sends leaves the browser by itself.

/** What the browser says of a request that it has paused. */
export interface PausedRequest {
  readonly url: string;
  readonly method: string;
  /** Of the protocol: `Document`, `Script`, `XHR` and so on. */
  readonly type: string;
  /** Of the page itself, and not of a frame in it. */
  readonly isMainFrame: boolean;
}

export interface AnswerRules {
  /** The document was given to the browser already: another one is a page that sends its visitor elsewhere. */
  readonly hasDocument: boolean;
  readonly blockResources: boolean;
}

export type RequestAnswer =
  | { readonly kind: 'document' }
  | { readonly kind: 'redirect' }
  /** A success without content: pages take a failure for their own. */
  | { readonly kind: 'empty'; readonly contentType: string; readonly body: Uint8Array }
  | { readonly kind: 'ask'; readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST'; readonly isStatic: boolean }
  | { readonly kind: 'refuse' };

const nothing = new Uint8Array();
/** One transparent pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const frame = Buffer.from('<!doctype html><title></title>');

const blocked = new Map<string, { readonly contentType: string; readonly body: Uint8Array }>([
  ['Image', { contentType: 'image/gif', body: pixel }],
  ['Stylesheet', { contentType: 'text/css', body: nothing }],
  ['Font', { contentType: 'font/woff2', body: nothing }],
  ['Media', { contentType: 'video/mp4', body: nothing }],
  ['TextTrack', { contentType: 'text/vtt', body: Buffer.from('WEBVTT\n') }],
]);
const staticTypes = new Set(['Script', 'Stylesheet', 'Font', 'Image']);
/** Types that pages take their content from, and those that make them look as they should. */
const asked = new Set(['Script', 'XHR', 'Fetch', 'Preflight', 'Other', 'Stylesheet', 'Image', 'Font']);
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST'] as const;

export function answerTo(request: PausedRequest, { hasDocument, blockResources }: AnswerRules): RequestAnswer {
  const { url, type, isMainFrame } = request;
  if (!/^https?:\/\//iu.test(url)) return { kind: 'refuse' };
  if (type === 'Document') {
    if (!isMainFrame) return { kind: 'empty', contentType: 'text/html', body: frame };
    return hasDocument ? { kind: 'redirect' } : { kind: 'document' };
  }
  const empty = blocked.get(type);
  // Films and sounds are never part of what is delivered.
  if (empty && (blockResources || !asked.has(type))) return { kind: 'empty', ...empty };
  // Beacons and reports tell the site of a visitor; the site is told that it was done.
  if (type === 'Ping' || type === 'CSPViolationReport') {
    return { kind: 'empty', contentType: 'text/plain', body: nothing };
  }
  const method = methods.find((name) => name === request.method);
  if (!asked.has(type) || method === undefined) return { kind: 'refuse' };
  // Only what scripts fetch may be more than a reading request.
  if (method === 'POST' && type !== 'XHR' && type !== 'Fetch') return { kind: 'refuse' };
  if (type === 'Other' && (method !== 'GET' || /\/favicon\.ico(?:$|\?)/u.test(url))) return { kind: 'refuse' };
  return { kind: 'ask', method, isStatic: method === 'GET' && staticTypes.has(type) };
}

/** They hold for the connection, for the packed body, or would have the browser do what hayrake does. */
const headersLeftOut = new Set([
  'alt-svc',
  'clear-site-data',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-security-policy-report-only',
  'keep-alive',
  'link',
  'nel',
  'origin-trial',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'speculation-rules',
  'strict-transport-security',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers of an answer as the browser is given them. */
export function headersForBrowser(
  headers: readonly (readonly [string, string])[],
): { readonly name: string; readonly value: string }[] {
  return headers.filter(([name]) => !headersLeftOut.has(name.toLowerCase())).map(([name, value]) => ({ name, value }));
}
