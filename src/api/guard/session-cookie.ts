// The cookie of a dashboard session. A browser also sends cookies with requests that another site caused, so a cookie counts
// only if the request shows that it comes from the dashboard.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionSeconds } from '../../jobs/sessions.ts';

/** The dashboard sends it with every request that changes something or begins work. Another site cannot set it: CORS does not allow it (`cors.ts`). */
export const dashboardHeader = 'x-hayrake-ui';
/** hayrake issues no longer ones. */
const secretLengthMax = 64;

/** Returns the secret of the session that the request belongs to. */
export function sessionSecret(request: FastifyRequest): string | undefined {
  const { cookie } = request.raw.headers;
  if (cookie === undefined || !isFromDashboard(request)) return undefined;
  const start = `${cookieName(request)}=`;
  const [value, another] = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  return another === undefined && value !== undefined && value.length <= secretLengthMax ? value : undefined;
}

/**
 * Returns true if no other site can have caused the request in a browser. Over plain HTTP, browsers omit
 * `Sec-Fetch-Site`, and another port of this host is the same site for the cookie. So a request that begins work, such
 * as the `GET` of the reader, needs the header too.
 */
export function isFromDashboard({ method, routeOptions, raw: { headers } }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (headers.origin !== undefined && !isOwnOrigin(headers)) return false;
  const isRead = (method === 'GET' || method === 'HEAD') && routeOptions.config.beginsWork !== true;
  return isRead || headers[dashboardHeader] === '1';
}

/** An older browser sends no `Sec-Fetch-Site`, but `Origin` with whatever a page of another origin asks for. */
function isOwnOrigin({ origin, host }: FastifyRequest['raw']['headers']): boolean {
  return URL.parse(origin ?? '')?.host === host?.toLowerCase();
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, secret: string): void {
  reply.header('set-cookie', cookie(request, secret, sessionSeconds));
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', cookie(request, '', 0));
}

function cookie(request: FastifyRequest, value: string, seconds: number): string {
  const secure = isEncrypted(request) ? '; Secure' : '';
  return `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

/**
 * Browsers keep cookies by host, for all ports, so the name has the port: that of the URL in the browser, because all
 * processes at one URL share their sessions.
 */
function cookieName({ raw: { headers } }: FastifyRequest): string {
  return `hayrake_${/:(\d{1,5})$/.exec(headers.host ?? '')?.[1] ?? 80}`;
}

/** A proxy that ends TLS says so. A client that claims it only restricts its own cookie. */
function isEncrypted({ raw: { headers } }: FastifyRequest): boolean {
  const forwarded = headers['x-forwarded-proto'];
  return (
    (typeof forwarded === 'string' && /^https\b/i.test(forwarded)) || headers.origin?.startsWith('https:') === true
  );
}
