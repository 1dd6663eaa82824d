// What becomes of the headers and cookies of a schedule when its job is replaced.
import type { ScheduleSecrets, SecretNames } from '../../core/schedule.ts';
import { jobInput } from '../../options/inputs.ts';
import { specOf } from '../../options/spec-of.ts';
import { parseGivenUrl } from '../../url/given-url.ts';

type Given = Readonly<Record<string, unknown>>;

export interface SecretsOfChange {
  readonly secrets: ScheduleSecrets;
  /** Names of those that were stored and are not kept, because they could be sent elsewhere. */
  readonly dropped: SecretNames;
}

/**
 * Those that the new job gives replace the stored ones of their kind. Otherwise the stored ones stay, if they go where they
 * went: else a client that cannot read them could have them sent to a host of its own.
 */
export function secretsOfChange(before: Given, after: Given, stored: ScheduleSecrets): SecretsOfChange {
  const kept = isSamePlace(before, after) ? stored : { headers: {}, cookies: {} };
  const one = (kind: 'headers' | 'cookies'): Readonly<Record<string, string>> =>
    kind in after ? ((after[kind] ?? {}) as Readonly<Record<string, string>>) : kept[kind];
  const droppedOf = (kind: 'headers' | 'cookies'): readonly string[] =>
    kind in after ? [] : Object.keys(stored[kind]).filter((name) => !(name in kept[kind]));
  return {
    secrets: { headers: one('headers'), cookies: one('cookies') },
    dropped: { headers: droppedOf('headers'), cookies: droppedOf('cookies') },
  };
}

/** The request without the values of headers and cookies. */
export function withoutSecrets(job: Given): Given {
  return Object.fromEntries(Object.entries(job).filter(([name]) => name !== 'headers' && name !== 'cookies'));
}

/** True if both jobs, however they are written, send to the same origins by the same way. False if one is no job. */
function isSamePlace(before: Given, after: Given): boolean {
  const [was, is] = [placeOf(before), placeOf(after)];
  return was !== undefined && was === is;
}

/** Scheme and host of each start URL, the proxy, and whose certificates are accepted. */
function placeOf(job: Given): string | undefined {
  const input = jobInput.safeParse(job).data;
  if (!input) return undefined;
  const { proxy, insecureTls } = specOf(input);
  const origins = new Set(input.urls.map((url) => originOf(url)));
  return JSON.stringify([[...origins].toSorted(), proxy, insecureTls]);
}

function originOf(given: string): string {
  const parsed = parseGivenUrl(given);
  return 'url' in parsed ? parsed.url.origin : '';
}
