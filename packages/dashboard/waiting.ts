// What a job that stands still waits for: the disk, the database, or a host.
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasEnded, type Host, type Job, type List } from './api-types.ts';
import { call } from './api.ts';
import { duration } from './format.ts';
import { useInterval } from './parts/hooks.ts';

const lookEveryMs = 3_000;
const soonMs = 2_000;
const hostsMax = 20;

const storage: Readonly<Record<string, string>> = {
  disk_full:
    'Waits for room on the disk, of which HAYRAKE_DISK_FREE_MB stay free. Free some, and it continues by itself.',
  read_only: 'Waits for the disk, which is read-only. Make it writable, and it continues by itself.',
  unavailable: 'Waits for the database, which cannot be written now. It continues by itself.',
};

/** A sentence while no URL of the job ends; undefined while some do, and after its end. */
export function useWaiting(job: Job | undefined): string | undefined {
  const [waiting, setWaiting] = useState<string>();
  const endedBefore = useRef(-1);
  const id = job?.id;
  const isLive = job !== undefined && !hasEnded(job);
  const ended = job ? job.progress.scraped + job.progress.discarded + job.progress.failed : -1;
  useEffect(() => setWaiting(undefined), [ended, isLive, id]);
  useInterval(
    () => {
      const isStill = ended === endedBefore.current;
      endedBefore.current = ended;
      // A service that cannot be reached has its own message.
      if (isStill && id !== undefined) reasonOf(id).then(setWaiting, () => setWaiting(undefined));
    },
    isLive ? lookEveryMs : 0,
  );
  return isLive ? waiting : undefined;
}

async function reasonOf(job: string): Promise<string | undefined> {
  // A service that is not ready says so with 503.
  const { reason } = (await (await fetch('/readyz')).json()) as { readonly reason?: string };
  if (reason !== undefined) return storage[reason] ?? storage['unavailable'];
  const { data } = await call<List<Host>>(`/crawler/hosts?${new URLSearchParams({ job, limit: String(hostsMax) })}`);
  return waitingFor(data, Date.now());
}

function waitingFor(hosts: readonly Host[], now: number): string | undefined {
  const [first] = hosts.toSorted((one, other) => (one.backOffUntil ?? 0) - (other.backOffUntil ?? 0));
  if (!first) return undefined;
  if (first.backOffUntil !== undefined && first.backOffUntil > now + soonMs)
    return `Waits for ${first.host}, which is asked again in ${duration(first.backOffUntil - now)}.`;
  if (first.delayMs < soonMs) return undefined;
  return `Asks ${first.host} every ${duration(first.delayMs)}, as its robots.txt or the settings want.`;
}
