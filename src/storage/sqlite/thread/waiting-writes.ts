import type { WriterOperations } from './writer-operations.ts';

export type OperationName = keyof WriterOperations;

/**
 * Writes that wait while nothing can be written: those of the engine. Their callers have nothing else to do, so no more
 * are held than were in flight. All others are rejected at once, because a client waits for the response.
 */
const waiting: ReadonlySet<OperationName> = new Set([
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
  'noteNetworks',
  'noteListener',
  'sweep',
  'claimWork',
  'settleWork',
  'recoverWork',
  'pauseSchedules',
  'registerObject',
]);

/** Writes that free space, or need almost none. They run while the disk is low on space. */
const makingRoom: ReadonlySet<OperationName> = new Set([
  'sweep',
  'cancelJob',
  'deleteJob',
  'erasePage',
  'setExpiry',
  'revokeToken',
  'deleteSchedule',
  'takeSegmentIn',
  'markObjectsDead',
  'forgetObjects',
]);

export function mayWait(name: OperationName): boolean {
  return waiting.has(name);
}

export function makesRoom(name: OperationName): boolean {
  return makingRoom.has(name);
}
