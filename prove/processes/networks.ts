// The campaign of many processes in a separate network, where each worker can be cut off from the database.
import path from 'node:path';
import { runInNamespace } from '../../test/egress/namespace.ts';
import type { ProcessesReport } from '../many-processes.ts';

export const siteAddress = '10.99.0.1';

/** Needs root, on Linux: see `whyNoNamespace`. */
export async function networksCampaign(options: {
  readonly rounds: number;
  readonly seed: number;
}): Promise<ProcessesReport> {
  const module = path.join(import.meta.dirname, 'inside-networks.ts');
  const printed = await runInNamespace([module, `${options.rounds} ${options.seed}`], [siteAddress]);
  return JSON.parse(printed) as ProcessesReport;
}
