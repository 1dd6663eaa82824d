import type { ServerResponse } from 'node:http';
import { responseReadSeconds } from '../limits.ts';
import { onceGone } from '../once-gone.ts';

/** Cuts off a client that takes too long to read a response, because the response occupies memory. */
export function cutOffWhenSlow(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), responseReadSeconds * 1000);
  onceGone(response, () => clearTimeout(timer));
}
