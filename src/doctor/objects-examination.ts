import type { Diagnosis } from '../core/ports/diagnosis.ts';
import { diagnosesOf } from './diagnoses.ts';
import type { ObjectStore } from '../core/ports/object-store.ts';

/** Signatures fail from 15 minutes on. */
const clockAheadMsMax = 5 * 60_000;

/** Whether the object store can be used with these settings, and keeps what is deleted. Writes nothing. */
export async function examineObjects(objects: ObjectStore): Promise<Diagnosis> {
  const { ok, warn, fail } = diagnosesOf('object storage');
  const { clockAheadMs, isVersioned, isLocked } = await objects.examine();
  const minutes = Math.round(Math.abs(clockAheadMs) / 60_000);
  if (Math.abs(clockAheadMs) > clockAheadMsMax)
    return fail(
      `The clock of this machine is ${minutes} minutes ${clockAheadMs > 0 ? 'ahead of' : 'behind'} that of the object store.`,
      'Correct it: signatures fail from 15 minutes on.',
    );
  if (isLocked)
    return warn(
      `The bucket of ${objects.place} locks its objects, so deleted pages stay in it.`,
      'Use a bucket without object lock if deleted pages must be gone.',
    );
  if (isVersioned)
    return warn(
      `The bucket of ${objects.place} keeps versions, so deleted pages stay in it.`,
      'Let a lifecycle rule of the bucket remove old versions.',
    );
  return ok(`${objects.place} can be listed.`);
}
