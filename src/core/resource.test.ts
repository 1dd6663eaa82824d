import { expect, test } from 'vitest';
import type { Columns } from './resource.ts';
import { scheduleColumns } from './schedule.ts';

test('resources: these columns are shown nowhere', () => {
  expect(hiddenOf(scheduleColumns)).toEqual(['webhookUrl', 'token', 'permissions', 'plannedAt', 'version']);
});

function hiddenOf(columns: Columns): string[] {
  return Object.entries(columns).flatMap(([name, { shown }]) => (shown ? [] : [name]));
}
