import type { RequestHeaders } from '../core/job.ts';

/** What goes with the requests of a job: names in lower case. */
export function toRequestHeaders(
  headers: Readonly<Record<string, string>> | null,
  cookies: Readonly<Record<string, string>> | null,
): RequestHeaders {
  const pairs = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value.trim()]);
  const cookie = Object.entries(cookies ?? {}).map(([name, value]) => `${name}=${value}`);
  return Object.fromEntries([
    ...pairs,
    ...(cookie.length > 0 ? [['cookie', cookie.join('; ')]] : []),
  ]) as RequestHeaders;
}
