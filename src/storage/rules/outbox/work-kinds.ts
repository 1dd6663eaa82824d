import type { WorkKind } from '../../../core/ports/work.ts';
import { deliveryRules } from './deliveries.ts';
import type { WorkRules } from './work.ts';

/**
 * To add a kind of durable work of jobs, add a row here and the code that stores its pieces. The work of schedules has its
 * rules in `schedules/runs.ts`.
 */
const rulesOfKind: Partial<Readonly<Record<WorkKind, WorkRules>>> = { webhook: deliveryRules };

/** The rules for the work of a job. */
export function rulesOf(kind: WorkKind): WorkRules {
  const rules = rulesOfKind[kind];
  if (!rules) throw new Error(`no job has work of the kind ${kind}`);
  return rules;
}
