// The object store of the settings, and a store of jobs whose raw bodies and screenshots are there.
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../core/errors.ts';
import { type ObjectStore, ObjectStoreError } from '../core/ports/object-store.ts';
import type { Store } from '../core/ports/stores.ts';
import { parsePrivateNetworks } from '../fetch/guard/address-policy.ts';
import { createLogger } from '../observe/logger.ts';
import { ObjectsClaim } from '../storage/objects/claim.ts';
import { refuseObjectsElsewhere } from '../storage/objects/owner.ts';
import { withObjects } from '../storage/objects/with-objects.ts';

const dayMs = 86_400_000;
const usage = (message: string): ExitError => new ExitError(exitCodes.usage, message);

/** Undefined if everything is in the database. Rejects with an `ExitError`. */
export async function openObjects(config: Config): Promise<ObjectStore | undefined> {
  const { blobs, s3Region: region, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (!blobs) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw usage(
      'HAYRAKE_BLOBS needs the credentials of the object store: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  // Imported only here: it is seldom used.
  const { createS3Client } = await import('../fetch/s3/s3-client.ts');
  try {
    return createS3Client({
      ...blobs,
      endpoint: config.s3Endpoint ?? new URL(`https://s3.${region}.amazonaws.com`),
      region,
      credentials: { accessKeyId, secretAccessKey, sessionToken: config.s3SessionToken },
      allowPrivate: parsePrivateNetworks(config.allowPrivate),
      authorities: config.caFile,
    });
  } catch (error) {
    throw error instanceof ObjectStoreError ? usage(error.message) : error;
  }
}

/**
 * The store with raw bodies and screenshots where the settings say. A process that only reads pages of the database
 * claims nothing. While the object store is away, the claim waits for it.
 */
export async function withBlobs(
  store: Store,
  objects: ObjectStore | undefined,
  { blobsKeepDays, logLevel }: Config,
  crawling: boolean,
): Promise<Store> {
  const log = createLogger(logLevel);
  const claim = crawling && objects ? new ObjectsClaim(objects, store.objects, log) : undefined;
  try {
    if (crawling) await (claim ? claim.started() : refuseObjectsElsewhere(store.objects));
  } catch (error) {
    await store.close();
    await objects?.close();
    throw error;
  }
  if (!objects) return store;
  return withObjects(store, objects, { keptMs: blobsKeepDays * dayMs, log, ...(claim && { claim }) });
}
