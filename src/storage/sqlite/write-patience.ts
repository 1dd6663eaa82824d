import type { WriterOperations } from './writer-operations.ts';

export type OperationName = keyof WriterOperations;

/**
 * Writes that wait while nothing can be written: those of the engine, each of which somebody awaits with nothing else to
 * do, so that no more are held than were in flight. All others are refused at once, since a client waits for an answer.
 */
const waiting: ReadonlySet<OperationName> = new Set([
  'recover',
  'leaseHost',
  'leaseUrgentHost',
  'take',
  'takeSuspect',
  'settle',
  'release',
  'giveUp',
  'noteDelay',
  'noteNetworks',
  'noteListener',
  'sweep',
  'claimWork',
  'settleWork',
  'recoverWork',
]);

/** Writes that make room, or none that counts: they are made while the disk has little left. */
const makingRoom: ReadonlySet<OperationName> = new Set(['sweep', 'cancelJob', 'deleteJob', 'revokeToken']);

export function mayWait(name: OperationName): boolean {
  return waiting.has(name);
}

export function makesRoom(name: OperationName): boolean {
  return makingRoom.has(name);
}
