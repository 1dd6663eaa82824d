// One database owns the objects below a prefix: another one would delete what it does not know.
import { randomBytes } from 'node:crypto';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { type ObjectStore, ObjectStoreError, type SegmentObjects } from '../../core/ports/object-store.ts';

export const ownerObject = 'owner.json';

type Rows = Pick<SegmentObjects, 'identity' | 'setIdentity' | 'live'>;

/** Makes this database the owner if there is none. Throws an `ExitError` if another one is, or if the store cannot be used. */
export async function claimObjects(objects: ObjectStore, rows: Rows): Promise<void> {
  const { place } = objects;
  const hasObjects = (await rows.live('')).length > 0;
  const known = await rows.identity();
  if (known && known.place !== place && hasObjects)
    throw refused(
      `Raw bodies or screenshots of this database are in ${known.place}, but HAYRAKE_BLOBS says ${place}. Copy all objects there, and then run \`hayrake blobs adopt\`.`,
    );
  await rows.setIdentity({ installation: newInstallation(), place }, known !== undefined && known.place !== place);
  // Another process of this database can have been first.
  const installation = (await rows.identity())?.installation;
  try {
    if ((await ownerOf(objects)) === undefined) {
      if (hasObjects)
        throw refused(
          `${place} does not say which database it belongs to. If its objects are there: \`hayrake blobs adopt\`.`,
        );
      await objects.put(ownerObject, Buffer.from(JSON.stringify({ installation })));
    }
    // Two databases that claim it at once write the same object, and the last one stays.
    if ((await ownerOf(objects)) !== installation)
      throw refused(
        `${place} belongs to another database. Use another prefix in HAYRAKE_BLOBS, or, if this database is a restored or moved one that replaces it: \`hayrake blobs adopt\`.`,
      );
  } catch (error) {
    throw explainedAtStart(error);
  }
}

/** Refuses a database whose objects nobody could read. */
export async function refuseObjectsElsewhere(rows: Rows): Promise<void> {
  const identity = await rows.identity();
  if (identity && (await rows.live('')).length > 0)
    throw refused(`Raw bodies or screenshots of this database are in ${identity.place}. Set HAYRAKE_BLOBS to it.`);
}

/** Makes this database the owner. The one before does not start any more, and deletes nothing. */
export async function adoptObjects(objects: ObjectStore, rows: Rows): Promise<void> {
  const identity = { installation: newInstallation(), place: objects.place };
  try {
    await objects.put(ownerObject, Buffer.from(JSON.stringify({ installation: identity.installation })));
  } catch (error) {
    throw explainedAtStart(error);
  }
  await rows.setIdentity(identity, true);
}

export async function isOwner(objects: ObjectStore, rows: Pick<Rows, 'identity'>): Promise<boolean> {
  const identity = await rows.identity();
  return identity !== undefined && (await ownerOf(objects)) === identity.installation;
}

async function ownerOf(objects: ObjectStore): Promise<unknown> {
  const bytes = await objects.get(ownerObject);
  if (!bytes) return undefined;
  try {
    return (JSON.parse(bytes.toString()) as { readonly installation?: unknown }).installation ?? null;
  } catch {
    return null;
  }
}

function newInstallation(): string {
  return randomBytes(16).toString('hex');
}

function refused(message: string): ExitError {
  return new ExitError(exitCodes.usage, message);
}

/** What its operator must change ends the start as a wrong setting does. */
export function explainedAtStart(error: unknown): unknown {
  if (!(error instanceof ObjectStoreError)) return error;
  return new ExitError(error.kind === 'refused' ? exitCodes.usage : exitCodes.storageFailed, error.message);
}
