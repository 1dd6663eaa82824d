/** What a client gives for its own sites. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>> | null;
  readonly cookies: Readonly<Record<string, string>> | null;
}

/** The names of what a client gives, for a job to show: of headers in lower case. Their values are kept apart. */
export function namesSent({ headers, cookies }: Sent): {
  readonly headerNames: readonly string[];
  readonly cookieNames: readonly string[];
} {
  return {
    headerNames: Object.keys(headers ?? {}).map((name) => name.toLowerCase()),
    cookieNames: Object.keys(cookies ?? {}),
  };
}
