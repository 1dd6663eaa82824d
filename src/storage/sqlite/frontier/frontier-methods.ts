/** Methods that are operations of the writer. */
export const frontierMethods = [
  'recover',
  'leaseHosts',
  'leaseUrgentHosts',
  'take',
  'takeSuspect',
  'settle',
  'release',
  'giveUp',
  'giveUpForBrowser',
  'noteDelay',
] as const;
