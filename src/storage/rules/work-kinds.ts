import type { WorkKind } from '../../core/work.ts';
import { deliveryRules } from './deliveries.ts';
import type { WorkRules } from './work.ts';

/** A new kind of durable work is a row here, and what stores pieces of it. */
export const rulesOfKind: Readonly<Record<WorkKind, WorkRules>> = { webhook: deliveryRules };
