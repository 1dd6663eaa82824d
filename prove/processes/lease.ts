/** A tenth of the value in production. */
export const leaseMs = 3_000;
/**
 * Prefix of a line in which a process reports a sent request: its target, and the two moments around the send, in
 * nanoseconds.
 */
export const sentMark = 'sent';
