// Pages that share the text of an earlier job's page: the same in every store. Their rows hold, in place of metadata and
// text, how it is known that nothing has changed. Reading one inflates the earlier page and writes that into its metadata.
import { deflateRawSync, constants, crc32 } from 'node:zlib';
import { type BaselinePage, type HowUnchanged, redirectTarget } from '../../../core/baseline.ts';
import type { Fragment, PageRecord } from '../../../core/page.ts';
import { toFragment } from '../../../page/encode.ts';
import { inflateFragment } from '../../../page/inflate-fragment.ts';

const evidences = new Map<HowUnchanged, Fragment>();

/** The row of a page whose text is that at `textOf`. */
export function sharedPage(textOf: number, evidence: HowUnchanged): PageRecord {
  let fragment = evidences.get(evidence);
  if (!fragment) evidences.set(evidence, (fragment = toFragment(Buffer.from(evidence))));
  return { meta: fragment, body: fragment, fetchedKey: '', hash: '', statusCode: 0, textOf };
}

/** See `PageRecord.contentKey`: the hash begins with it. */
export function contentKeyOf({ hash }: Pick<BaselinePage, 'hash'>): string | undefined {
  const key = hash.split('.', 1)[0];
  return key === '' ? undefined : key;
}

/** Page keys that a page of an earlier job had: its texts, and the URL to which a redirect led. */
export function earlierKeys({
  hash,
  copyKey,
  validator,
}: Pick<BaselinePage, 'hash' | 'copyKey' | 'validator'>): string[] {
  const contentKey = contentKeyOf({ hash });
  const target = redirectTarget(validator);
  return [
    ...(contentKey === undefined ? [] : [`c${contentKey}`]),
    ...(copyKey === null ? [] : [`n${copyKey}`]),
    ...(target === undefined ? [] : [`u${target}`]),
  ];
}

const opening = Buffer.from(',"meta":{');
const comparison = /^"change":"[a-z]+",(?:"evidence":"[a-z0-9_]+",)?/;
/** Bytes in which an earlier comparison stands. */
const comparisonMax = 80;

/**
 * What a shared page reads as: the earlier page, with this evidence in its metadata. Undefined if one of them is not what
 * was deflated. No string before `"meta":{` can contain it, because a quote in a string is escaped.
 */
export function readShared(earlier: Fragment, own: Fragment): Fragment | undefined {
  const [page, evidence] = [inflateFragment(earlier), inflateFragment(own)];
  const at = page?.indexOf(opening) ?? -1;
  if (!page || !evidence || at === -1) return undefined;
  const start = at + opening.length;
  const before = comparison.exec(page.toString('latin1', start, start + comparisonMax))?.[0].length ?? 0;
  const bytes = Buffer.concat([
    page.subarray(0, start),
    Buffer.from(`"change":"unchanged","evidence":"${evidence.toString()}",`),
    page.subarray(start + before),
  ]);
  return { deflated: deflateRawSync(bytes, shallow), crc: crc32(bytes), length: bytes.length };
}

/** It is read once. */
const shallow = { level: 1, finishFlush: constants.Z_FULL_FLUSH };
