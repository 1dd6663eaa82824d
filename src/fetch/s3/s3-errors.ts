// Errors of an object store, as sentences. None contains a credential, or what the server wrote in words.
import { ObjectStoreError } from '../../core/ports/object-store.ts';

export interface ErrorContext {
  readonly bucket: string;
  readonly endpoint: URL;
  readonly region: string;
  /** Its clock differs from this machine's by more than signatures allow. */
  readonly isSkewed: boolean;
}

/** Codes that pass by themselves, although their status does not say so. */
const passing: ReadonlySet<string> = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted', 'BadDigest']);

export function answerError(status: number, code: string | undefined, context: ErrorContext): ObjectStoreError {
  const { bucket, endpoint, region, isSkewed } = context;
  const said = code === undefined ? `status ${status}` : `${code}, status ${status}`;
  if (status >= 500 || status === 429 || status === 408 || (code !== undefined && passing.has(code)))
    return new ObjectStoreError('away', `The object store at ${endpoint.host} cannot do it now (${said}).`);
  const refused = (message: string): ObjectStoreError => new ObjectStoreError('refused', message);
  if (code === 'NoSuchBucket') return refused(`There is no bucket \`${bucket}\` at ${endpoint.host}. Create it first.`);
  if (code === 'RequestTimeTooSkewed' || (status === 403 && isSkewed))
    return refused(`The clock of this machine differs from that of ${endpoint.host}, so signatures fail. Correct it.`);
  if (code === 'AuthorizationHeaderMalformed')
    return refused(`The bucket \`${bucket}\` is not in the region \`${region}\`. Set AWS_REGION.`);
  if (status >= 300 && status < 400)
    return refused(
      `The bucket \`${bucket}\` is not at ${endpoint.host}, which redirects. Redirects are not followed: set HAYRAKE_S3_ENDPOINT and AWS_REGION to where it is.`,
    );
  if (status === 401 || status === 403)
    return refused(
      `The object store at ${endpoint.host} refuses the credentials for the bucket \`${bucket}\` (${said}). They need the rights to read, write, delete and list objects: see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  return refused(`The object store at ${endpoint.host} refuses the request (${said}).`);
}

/** The code of an error that {@link plainTextRefusal} explains. */
export const plainTextRefused = 'PLAIN_TEXT_REFUSED';

export function connectionError(error: unknown, endpoint: URL): ObjectStoreError {
  const { host } = endpoint;
  if (error instanceof Error && 'code' in error && error.code === plainTextRefused) return plainTextRefusal(endpoint);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  const what = isLate ? 'did not respond in time' : 'cannot be reached';
  return new ObjectStoreError('away', `The object store at ${host} ${what}${code}.`);
}

export function plainTextRefusal({ host }: URL): ObjectStoreError {
  return new ObjectStoreError(
    'refused',
    `HAYRAKE_S3_ENDPOINT has no TLS, so anybody between here and ${host} could read the pages. Use https://, or name its network in HAYRAKE_ALLOW_PRIVATE.`,
  );
}
