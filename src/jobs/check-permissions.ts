import { UserError } from '../core/errors.ts';
import type { JobSpec } from '../core/job.ts';
import type { Permission } from '../core/permissions.ts';
import { optionsOf, type PlacedOption } from '../options/inputs.ts';

/** Throws a `UserError` if an option of a new job has a value that the caller lacks the permission for. */
export function checkPermissions(input: Readonly<Record<string, unknown>>, granted: readonly Permission[]): void {
  check(({ name }) => input[name], granted, 'Leave it out, or have');
}

/** The same for a job that repeats another, with the stored options of that job. */
export function checkPermissionsOfSpec(spec: JobSpec, granted: readonly Permission[]): void {
  const stored: Readonly<Record<string, unknown>> = spec;
  check(
    ({ option }) => stored[option.spec?.field ?? ''],
    granted,
    'The original job has it, so this request needs it too. Have',
  );
}

function check(valueOf: (option: PlacedOption) => unknown, granted: readonly Permission[], remedy: string): void {
  for (const placed of optionsOf('crawl')) {
    const { permission } = placed.option;
    const value = valueOf(placed);
    if (permission?.when(value) === true && !granted.includes(permission.name)) {
      const shown = permission.shown ?? `${placed.name}: ${JSON.stringify(value)}`;
      throw denied(placed.name, shown, permission.name, remedy);
    }
  }
}

function denied(field: string, shown: string, needed: Permission, remedy: string): UserError {
  return new UserError(
    'permission_denied',
    `\`${shown}\` needs a token with the permission \`${needed}\`. ${remedy} the operator make one: \`hayrake token create --permissions read,write,${needed}\`.`,
    [{ field, message: `needs the permission \`${needed}\`` }],
  );
}
