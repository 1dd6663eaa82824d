import { expect, test } from 'vitest';
import type { Columns } from './resource.ts';
import { scheduleColumns } from './schedule.ts';
import { tokenColumns } from './token.ts';

test('resources: these columns are shown nowhere', () => {
  expect(hiddenOf(scheduleColumns)).toEqual(['webhookUrl', 'token', 'permissions', 'plannedAt', 'version']);
  expect(hiddenOf(tokenColumns)).toEqual(['hash (secret)']);
});

function hiddenOf(columns: Columns): string[] {
  return Object.entries(columns).flatMap(([name, { shown, isSecret = false }]) =>
    shown ? [] : [isSecret ? `${name} (secret)` : name],
  );
}
