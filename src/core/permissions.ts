/**
 * `ignore_robots`: create jobs that do not respect robots.txt. `high_priority`: create jobs with `priority: high`.
 * `proxy`: create jobs that name a proxy of the operator. `model`: create jobs that ask the language model.
 * `metrics`: read the metrics of the whole service. `tokens`: list, create and revoke the tokens of the org.
 * `operate`: see the state and settings of the whole service, and back it up.
 */
export const permissions = [
  'read',
  'write',
  'ignore_robots',
  'high_priority',
  'proxy',
  'model',
  'metrics',
  'tokens',
  'operate',
] as const;
/** Permissions of a token by default. */
export const usualPermissions: readonly Permission[] = ['read', 'write'];
export type Permission = (typeof permissions)[number];
