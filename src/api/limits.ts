// Limits of the API, with units. The operator's settings are in config.ts; docs/limits.md is generated from both.

/** Settings of the API. */
export interface ApiLimits {
  /** 0 disables the limit. */
  readonly requestsPerMinute: number;
  readonly waitingPerOrg: number;
  readonly connections: number;
  /** What the process may use, without its browser. */
  readonly memoryBytes: number;
}

export const bodyBytesMax = 2 ** 20;
/** The body of `POST /scraper/batch`. */
export const batchBytesMax = 4 * 2 ** 20;
/** Request line and headers together. */
export const headBytesMax = 16 * 1024;
/** Node silently drops headers beyond its own limit. */
export const headersMax = 100;
/** From the connection, or the end of the previous request, to the end of the headers. */
export const headSecondsMax = 10;
/** To the end of the body. */
export const requestSecondsMax = 30;
/** How long an idle connection stays open between two requests. */
export const keepAliveSeconds = 72;
/** Per address, in any minute. A valid token passes in any case. */
export const failedTokensPerMinute = 300;
/** Per address, in any minute: sign-ins with a token or a login code. */
export const signInsPerMinute = 30;
/** Orgs or addresses counted at a time. */
export const countedMax = 10_000;
/** Bytes of responses built or being sent at a time; one org gets at most half. */
export const responseBytesMax = 256 * 2 ** 20;
/** The same as a share of the process's memory; the smaller limit applies. */
export const responseMemoryShare = 0.125;
/** How long a response waits for room in memory before it is refused. */
export const responseWaitSeconds = 10;
/** A client that takes longer to read a response of up to 16 MiB is cut off. */
export const responseReadSeconds = 300;
/** Bytes of text that a stream reads ahead. */
export const streamBytesMax = 2 ** 20;
/** How long a search waits for its index. After that it covers the pages indexed so far. */
export const indexWaitSeconds = 5;
/** Exports of one org at a time, in each process that serves the API. */
export const exportsPerOrg = 1;
/** Share of the process's memory above which no job is accepted. */
export const memoryShareMax = 0.9;
