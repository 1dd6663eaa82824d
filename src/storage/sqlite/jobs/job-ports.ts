import type { JobStore } from '../../../core/ports/stores.ts';
import type { StoreParts } from '../store-parts.ts';

/** How long a hint can be delayed before a waiter polls: another process can have written. */
const pollMs = 500;

export function jobsOf(parts: StoreParts): JobStore {
  const { writer, shared, changes, longReader, read } = parts;
  return {
    ...shared.jobs,
    create: async (job) => parts.shown(await writer.call('createJob', job)),
    retry: async (org, id, retry) => parts.shown(await writer.call('retryJob', org, id, retry)),
    cancel: async (org, id, now = Date.now()) => parts.shown(await writer.call('cancelJob', org, id, now)),
    delete: async (org, id, now = Date.now()) => parts.shown(await writer.call('deleteJob', org, id, now)),
    retire: async (org, id, now = Date.now()) => parts.shown(await writer.call('retireJob', org, id, now)),
    setExpiry: async (org, id, expiry, now = Date.now()) =>
      parts.shown(await writer.call('setExpiry', org, id, expiry, now)),
    acceptChanges: async (org, id) => parts.shown(await writer.call('acceptChanges', org, id)),
    stop: async (org, id, now = Date.now()) => parts.shown(await writer.call('stopJob', org, id, now)),
    resume: async (org, id) => parts.shown(await writer.call('resumeJob', org, id)),
    addNotice: (id, notice) => writer.call('addNotice', id, notice),
    hosts: (org, query) => read(() => longReader.listHosts(org, query)),
    countTree: (jobId, query) => read(() => longReader.countTree(jobId, query)),
    waitForChange: (jobId, maxMs, signal) => changes.wait(jobId, Math.min(maxMs, pollMs), signal),
  };
}
