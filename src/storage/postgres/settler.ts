import { failPoint } from '../../core/fail-point.ts';
import type { HostLease, Settlement } from '../../core/frontier.ts';
import { hasEnded } from '../../core/job.ts';
import { Ledger } from '../rules/ledger.ts';
import { SeenUrls } from '../rules/seen-urls.ts';
import { Settling } from '../rules/settling.ts';
import { change } from './change.ts';
import { JointCommits, type Written } from './joint-commits.ts';
import type { StoreParts } from './parts.ts';
import { hostsOf, readingOf } from './read-rows.ts';

/** Requests in one transaction at most: more would keep its jobs' rows from others for long. */
const requestsPerCommit = 400;

interface Batch {
  readonly lease: HostLease;
  readonly settlements: readonly Settlement[];
  readonly jobs: readonly string[];
}

/**
 * Settles for all lanes of a process.
 *
 * A transaction waits for the jobs of its first batch only, and takes along those that nobody has at the moment; the others have
 * their turn later. If it waited for all of them, each process would hold the jobs that the next one waits for: with 40
 * jobs, 4 processes were half as fast as one.
 */
export class Settler {
  readonly #parts: StoreParts;
  readonly #commits: JointCommits<Batch, void>;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#commits = new JointCommits({
      jobsOf: ({ jobs }) => jobs,
      fits: (together) => together.reduce((sum, { settlements }) => sum + settlements.length, 0) < requestsPerCommit,
      write: (batches) => this.#write(batches),
    });
  }

  settle(lease: HostLease, settlements: readonly Settlement[]): Promise<void> {
    const jobs = [...new Set(settlements.map(({ request }) => request.jobId))];
    return this.#commits.add({ lease, settlements, jobs });
  }

  async #write(batches: readonly Batch[]): Promise<readonly Written<void>[]> {
    const { facts, hosts } = this.#parts;
    const settlements = batches.flatMap((batch) => batch.settlements);
    await facts.learn(settlements.map(({ request }) => request.jobId));
    await hosts.learn(hostsOf(settlements));
    // What is seen here is known to others once it is committed.
    const seen = new SeenUrls(this.#parts.seen);
    const seqsOf = ({ jobs }: Batch): number[] => jobs.flatMap((id) => facts.of(id)?.seq ?? []);
    let ended: readonly number[] = [];
    const [first] = batches;
    const written = await change(this.#parts, async (set) => {
      const reading = readingOf(settlements, (id) => facts.of(id), seen);
      await set.read({ ...reading, jobs: first ? seqsOf(first) : [], jobsIfFree: reading.jobs });
      const settling = new Settling(set, set, new Ledger(set, seen));
      const results = batches.map((batch): Written<void> => {
        if (batch !== first && seqsOf(batch).some((seq) => set.get(seq) === undefined)) return 'later';
        for (const settlement of batch.settlements) settling.settle(batch.lease, settlement, set.now);
        return { answer: undefined };
      });
      failPoint('settle.ending');
      ended = reading.jobs.filter((seq) => {
        const job = set.get(seq);
        return job !== undefined && hasEnded(job.status);
      });
      return results;
    });
    for (const seq of ended) {
      seen.forgetJob(seq);
      this.#parts.seen.forgetJob(seq);
    }
    seen.commit();
    return written;
  }
}
