/** Seconds for which results can be kept after the end of a job: a minute to ten years. */
export const outputExpiryRange = { min: 60, max: 315_360_000 } as const;
