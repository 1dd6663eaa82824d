import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Diagnosis } from '../core/ports/diagnosis.ts';
import { diagnosesOf } from './diagnoses.ts';
import type { ObjectStore } from '../core/ports/object-store.ts';

const remedy = 'Give the key the permissions to list, get, put and delete objects below this prefix.';
/** Signatures fail from 15 minutes on. */
const clockAheadMsMax = 5 * 60_000;

/** Whether objects can be written, read and deleted with these settings, and whether deleted ones are kept. */
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
  const trial = await triedOn(objects);
  if (trial !== undefined) return fail(`Objects of ${objects.place} cannot be ${trial}.`, remedy);
  return ok(`Objects of ${objects.place} can be listed, written, read and deleted.`);
}

/** What could not be done with a small object that nobody else uses; undefined if all could. */
async function triedOn(objects: ObjectStore): Promise<string | undefined> {
  const name = `doctor/${randomUUID()}`;
  const bytes = Buffer.from('hayrake doctor');
  const steps: readonly [what: string, step: () => Promise<unknown>][] = [
    ['written', () => objects.put(name, bytes)],
    ['read', async () => assert.deepEqual(await objects.get(name), bytes)],
    ['deleted', () => objects.delete([name])],
  ];
  for (const [what, step] of steps) {
    try {
      await step();
    } catch (error) {
      return `${what}: ${String(error)}`;
    }
  }
  return undefined;
}
