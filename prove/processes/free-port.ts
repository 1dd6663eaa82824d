import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports of the site's hosts and of outgoing connections, so nothing takes it while the API is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(30_000, 32_000);
    const probe = createServer();
    try {
      await once(probe.listen(port, '127.0.0.1'), 'listening');
      await new Promise((resolve) => probe.close(resolve));
      return port;
    } catch {
      // Taken: try another one.
    }
  }
}
