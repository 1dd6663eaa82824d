import type { HostLease } from '../../core/frontier.ts';

type Held = Pick<HostLease, 'hostId' | 'fence'>;

/** As long as a hint may be missing elsewhere: see the store's polling. */
const believedMs = 500;

/**
 * Hosts of which nothing was due when it was last asked for under their lease. A lane asks after each settlement, which seldom queued anything for its host;
 * what other processes queue there, or time makes due, is found a little later, or when the host is given back.
 */
export class IdleHosts {
  readonly #asked = new Map<number, { readonly fence: number; until: number }>();

  /** To be called before the database is asked; the answer is called where it had nothing. Counts unless {@link wake} was called between. */
  ask({ hostId, fence }: Held): () => void {
    const question = { fence, until: 0 };
    this.#asked.set(hostId, question);
    return () => {
      question.until = performance.now() + believedMs;
    };
  }

  has({ hostId, fence }: Held): boolean {
    const asked = this.#asked.get(hostId);
    return asked?.fence === fence && performance.now() < asked.until;
  }

  /** Something was queued for the host, or it was leased again. */
  wake(hostId: number): void {
    this.#asked.delete(hostId);
  }
}
