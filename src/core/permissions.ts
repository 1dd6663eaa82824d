/**
 * `ignore_robots`: may create jobs that do not respect robots.txt. `high_priority`: may create jobs with `priority: high`.
 * `metrics`: may see how the service as a whole is doing.
 */
export const permissions = ['read', 'write', 'ignore_robots', 'high_priority', 'metrics'] as const;
/** What a token may do unless more is said. */
export const usualPermissions: readonly Permission[] = ['read', 'write'];
export type Permission = (typeof permissions)[number];
