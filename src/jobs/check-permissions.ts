import { UserError } from '../core/errors.ts';
import type { Permission } from '../core/permissions.ts';
import { optionsOf } from '../options/inputs.ts';

/** Throws a `UserError` where an option of a new job has a value that the caller may not give it. */
export function checkPermissions(input: Readonly<Record<string, unknown>>, granted: readonly Permission[]): void {
  for (const { name, option } of optionsOf('crawl')) {
    const { permission } = option;
    const value = input[name];
    if (permission?.when(value) === true && !granted.includes(permission.name)) {
      throw denied(name, value, permission.name);
    }
  }
}

function denied(field: string, value: unknown, needed: Permission): UserError {
  return new UserError(
    'permission_denied',
    `\`${field}: ${JSON.stringify(value)}\` needs a token with the permission \`${needed}\`. Leave it out, or have the operator make one: \`hayrake token create --permissions read,write,${needed}\`.`,
    [{ field, message: `needs the permission \`${needed}\`` }],
  );
}
