import type { WorkKind } from '../../../core/ports/work.ts';
import { deliveryRules } from './deliveries.ts';
import type { WorkRules } from './work.ts';

/** To add a kind of durable work, add a row here and the code that stores its pieces. */
export const rulesOfKind: Readonly<Record<WorkKind, WorkRules>> = { webhook: deliveryRules };
