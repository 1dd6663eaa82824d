import type { Operation } from '../../shared/operation.ts';
import { type OperationName, operationOf } from '../../shared/shared-ports.ts';
import type { WriterRequest } from './transactions.ts';
import type { WriterOperations } from './writer-operations.ts';

/**
 * Writes that wait while nothing can be written: those of the engine. Their callers have nothing else to do, so no more
 * are held than were in flight. All others are rejected at once, because a client waits for the response.
 */
const waiting: ReadonlySet<keyof WriterOperations> = new Set([
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
  'sweep',
  'claimWork',
  'recoverWork',
]);

/** Writes that free space, or need almost none. They run while the disk is low on space. */
const makingRoom: ReadonlySet<keyof WriterOperations> = new Set(['sweep', 'erasePage']);

export function mayWait(request: WriterRequest): boolean {
  return sharedIn(request)?.waits ?? waiting.has(request.name);
}

export function makesRoom(request: WriterRequest): boolean {
  return sharedIn(request)?.makesRoom ?? makingRoom.has(request.name);
}

function sharedIn({ name, args }: WriterRequest): Operation | undefined {
  return name === 'shared' ? operationOf(args[0] as OperationName) : undefined;
}
