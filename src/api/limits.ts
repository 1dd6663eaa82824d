// What the API bears, with units. What the operator can set is in config.ts; docs/limits.md is made from both.

/** The settings that the API is given. */
export interface ApiLimits {
  /** Zero: as many as they like. */
  readonly requestsPerMinute: number;
  readonly waitingPerOrg: number;
  readonly connections: number;
}

export const bodyBytesMax = 2 ** 20;
/** Request line and headers together. */
export const headBytesMax = 16 * 1024;
/** Node drops those beyond its own limit without a word. */
export const headersMax = 100;
/** From the connection, or the end of the request before, to the end of the headers. */
export const headSecondsMax = 10;
/** To the end of the body. */
export const requestSecondsMax = 30;
/** How long a connection may stay open between two requests. */
export const keepAliveSeconds = 72;
/** Of one address, in any minute. A token that is good is let through all the same. */
export const failedTokensPerMinute = 300;
/** Orgs or addresses whose requests are counted at a time. */
export const countedMax = 10_000;
/** Answers that are built or on their way at a time; one org has at most half. */
export const answerBytesMax = 256 * 2 ** 20;
/** The same where that is less: of the memory that the process may have. */
export const answerMemoryShare = 0.125;
/** How long an answer waits for room in memory. */
export const answerWaitSeconds = 10;
/** A client that takes longer to read an answer of up to 16 MiB is cut off. */
export const answerReadSeconds = 300;
/** Text that a stream reads ahead. */
export const streamBytesMax = 2 ** 20;
/** Of the memory that the process may have: beyond, no job is taken. */
export const memoryShareMax = 0.9;
