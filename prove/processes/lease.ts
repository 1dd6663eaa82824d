/** A tenth of what it is in use. */
export const leaseMs = 3_000;
/** Begins a line in which a process says that it sent a request: to where, and between which two moments, in nanoseconds. */
export const sentMark = 'sent';
