/**
 * Memory limits of every thread that this program starts. V8 lets a thread's young generation grow to 128 MiB, nearly
 * all of it garbage, before it collects. With 24 MiB a crawl takes 12 % less memory and no more CPU time:
 * see docs/decisions/program.md.
 */
export const threadMemory = { maxYoungGenerationSizeMb: 24 } as const;
