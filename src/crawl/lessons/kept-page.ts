// A page that waits on disk: what was fetched, and what was made of it that reading it again would not give.
import { deserialize, serialize } from 'node:v8';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import type { RawPage } from '../../core/raw-page.ts';
import type { PageInput } from '../convert/converter.ts';
import type { JobBrief } from '../job/job-cache.ts';

// A file never waits: it has no record.
const names = [
  'requestUrl',
  'fetchedUrl',
  'depth',
  'statusCode',
  'headers',
  'body',
  'isRendered',
  'isUnverified',
  'earlier',
] as const;

export interface KeptPage {
  readonly input: Pick<PageInput, (typeof names)[number]>;
  /** The page as the browser shows it. */
  readonly picture?: Uint8Array | undefined;
  readonly raw?: RawPage | undefined;
  /** For the ledger. */
  readonly detail?: string | undefined;
}

export function packKept({ input, picture, raw, detail }: KeptPage): Uint8Array {
  const kept = Object.fromEntries(names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));
  return serialize({ input: kept, picture, raw, detail });
}

export function unpackKept(data: Uint8Array): KeptPage {
  const { input, ...made } = deserialize(data) as KeptPage;
  return { ...made, input: { ...input, body: ownedCopy(input.body) } };
}

export function inputOf({ input }: KeptPage, job: JobBrief): PageInput {
  return { ...input, job };
}
