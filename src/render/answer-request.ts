// Decides how a request of a page is answered. The browser itself sends nothing for a page.

/** A request that the browser has paused, as it reports it. */
export interface PausedRequest {
  readonly url: string;
  readonly method: string;
  /** The resource type of the protocol: `Document`, `Script`, `XHR` and so on. */
  readonly type: string;
  /** The request comes from the page itself, not from a frame in it. */
  readonly isMainFrame: boolean;
  /** The page goes back, to an earlier page of its tab. */
  readonly isHistory: boolean;
}

export interface AnswerRules {
  /** Without a fragment. */
  readonly documentUrl: string;
  /** The browser has the document already: a second one means that the page redirects. */
  readonly hasDocument: boolean;
  readonly blockResources: boolean;
}

export type RequestResponse =
  | { readonly kind: 'document' }
  | { readonly kind: 'redirect' }
  /** A success without content, since pages treat a failure as their own. */
  | { readonly kind: 'empty'; readonly contentType: string; readonly body: Uint8Array }
  | { readonly kind: 'ask'; readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST'; readonly isStatic: boolean }
  | { readonly kind: 'refuse' };

const nothing = new Uint8Array();
/** A transparent pixel. */
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
/** Types that pages take content from, and types that shape their looks. */
const asked = new Set(['Script', 'XHR', 'Fetch', 'Preflight', 'Other', 'Stylesheet', 'Image', 'Font']);
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST'] as const;

export function answerTo(request: PausedRequest, rules: AnswerRules): RequestResponse {
  const { hasDocument, blockResources, documentUrl } = rules;
  const { url, type, isMainFrame, isHistory } = request;
  if (!/^https?:\/\//iu.test(url)) return { kind: 'refuse' };
  // The tab has not opened the page yet, so the page before it sends this.
  if (!hasDocument && (type !== 'Document' || url !== documentUrl)) return { kind: 'refuse' };
  if (isHistory) return { kind: 'refuse' };
  if (type === 'Document') {
    if (!isMainFrame) return { kind: 'empty', contentType: 'text/html', body: frame };
    return hasDocument ? { kind: 'redirect' } : { kind: 'document' };
  }
  const empty = blocked.get(type);
  // Video and audio are never part of the result.
  if (empty && (blockResources || !asked.has(type))) return { kind: 'empty', ...empty };
  // Beacons and reports would show the site a visitor. They are not sent, and the page gets a success.
  if (type === 'Ping' || type === 'CSPViolationReport') {
    return { kind: 'empty', contentType: 'text/plain', body: nothing };
  }
  const method = methods.find((name) => name === request.method);
  if (!asked.has(type) || method === undefined) return { kind: 'refuse' };
  // Only requests of scripts can be other than reading.
  if (method === 'POST' && type !== 'XHR' && type !== 'Fetch') return { kind: 'refuse' };
  if (type === 'Other' && (method !== 'GET' || /\/favicon\.ico(?:$|\?)/u.test(url))) return { kind: 'refuse' };
  return { kind: 'ask', method, isStatic: method === 'GET' && staticTypes.has(type) };
}

/** Headers that apply to the connection or the packed body, or would make the browser do hayrake's work. */
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

/** The headers of a response as the browser gets them. */
export function headersForBrowser(
  headers: readonly (readonly [string, string])[],
): { readonly name: string; readonly value: string }[] {
  return headers.filter(([name]) => !headersLeftOut.has(name.toLowerCase())).map(([name, value]) => ({ name, value }));
}
