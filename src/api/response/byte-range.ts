import { UserError } from '../../core/errors.ts';

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads `Range` for a body of `length` bytes (RFC 9110, 14.2). Undefined if the whole body is to be sent: without the
 * header, with one that is not understood or has several ranges, and if `If-Range` names another version of the body.
 * Throws a `UserError` if the body has none of the bytes.
 */
export function rangeIn(
  headers: { readonly range?: string | undefined; readonly 'if-range'?: string | string[] | undefined },
  tag: string | undefined,
  length: number,
): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== tag) return undefined;
  const isSuffix = first === '';
  const start = isSuffix ? Math.max(0, length - Number(last)) : Number(first);
  const end = isSuffix || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  if (!isSuffix && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= length || (isSuffix && Number(last) === 0))
    throw new UserError('range_not_satisfiable', `The file has ${length} bytes. Request a range within it.`);
  return { start, end };
}
