import type { HostLease } from '../../../core/ports/frontier.ts';

type Held = Pick<HostLease, 'hostId' | 'fence'>;

/** As long as a hint can be delayed elsewhere: see the store's polling. */
const believedMs = 500;

/**
 * Hosts that had nothing due at the last take under their lease. A lane takes after each settlement, which seldom
 * queued anything for its host. Requests that other processes queue there, or that become due, are found a little
 * later, or when the host is released.
 */
export class IdleHosts {
  readonly #asked = new Map<number, { readonly fence: number; until: number }>();

  /** Call before the query. Call the returned function if nothing was due; it has no effect after {@link wake}. */
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

  /** Call when something was queued for the host, or it was leased again. */
  wake(hostId: number): void {
    this.#asked.delete(hostId);
  }
}
