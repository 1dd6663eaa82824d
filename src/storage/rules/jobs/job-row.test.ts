import { expect, test } from 'vitest';
import type { JobNotice } from '../../../core/job.ts';
import { addNotice, type JobRow } from './job-row.ts';

test('addNotice: counts notices beyond a hundred in a last one, which names the first of them', () => {
  const row = { notices: '[]' } as JobRow;
  for (let template = 1; template <= 130; template += 1) {
    addNotice(row, { code: 'trap', message: `Like /${template}/#`, at: template });
  }
  const notices = JSON.parse(row.notices) as JobNotice[];
  expect(notices).toHaveLength(101);
  expect(notices.at(-1)).toEqual({
    code: 'notices_cut',
    message: '30 further notices are not listed. The first of them: Like /101/#',
    at: 101,
    count: 30,
    example: 'Like /101/#',
  });
});
