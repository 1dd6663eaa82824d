/** A tenth of what it is in use. */
export const leaseMs = 3_000;
/** Which process began a request, and when by the clock of the machine, in nanoseconds. */
export const begunHeader = 'x-begun';
