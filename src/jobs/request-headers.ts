import type { RequestHeaders } from '../core/job.ts';

/** Builds the headers sent with a job's requests: names in lower case. */
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
