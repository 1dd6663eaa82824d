// The processes of a service, and what can happen to them while clients use it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../../test/postgres/database.ts';
import { startPostgres } from '../../test/postgres/server.ts';
import { TestService } from '../../test/service/start-service.ts';
import { type FakeClock, fakeClock } from '../processes/fake-clock.ts';
import { freePort } from '../processes/free-port.ts';
import { leaseMs } from '../processes/lease.ts';
import { Member } from '../processes/member.ts';
import { type Relay, startRelay } from '../processes/relay.ts';
import type { Random } from '../simulation/random.ts';

export interface Cast {
  /** Of the processes that answer clients. */
  readonly origins: readonly string[];
  /** Each ends with every process running. */
  readonly faults: Readonly<Record<string, () => Promise<void>>>;
  /** What happens once, in the middle. */
  readonly turn?: () => Promise<void>;
  /** Rejects when a process ends by itself. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

const env = {
  HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8',
  HAYRAKE_HOST_DELAY_MS: '50',
  HAYRAKE_CONVERTER_THREADS: '1',
  HAYRAKE_REQUESTS_PER_MINUTE: '0',
};
const clockSeconds = [3_600, -3_600, 86_400, -86_400, 0];

/** One process on SQLite. */
export async function sqliteCast(random: Random): Promise<Cast> {
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-history-'));
  const clock = fakeClock(directory);
  const port = await freePort();
  const data = path.join(directory, 'data');
  const service = new TestService(data, { env: { ...env, ...clock.env, HAYRAKE_PORT: String(port) }, directory: data });
  await service.start();
  return {
    origins: [`http://127.0.0.1:${port}`],
    faults: {
      kill: async () => {
        await service.kill();
        await service.start();
      },
      restart: () => service.restart(),
      stop: async () => {
        process.kill(service.pid ?? 0, 'SIGSTOP');
        await sleep(random.between(500, 3_000));
        process.kill(service.pid ?? 0, 'SIGCONT');
      },
      clock: async () => clock.set(random.of(clockSeconds)),
    },
    failed: new Promise(() => {}),
    close: async () => {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export interface PostgresCastOptions {
  /**
   * The standby that takes over in the middle: with `synchronous` it has everything that was acknowledged; with
   * `asynchronous` it lacks the last second.
   */
  readonly standby: 'synchronous' | 'asynchronous';
}

interface Actor {
  readonly member: Member;
  readonly relay: Relay;
  readonly clock: FakeClock;
}

/** Two API processes and two workers, each with a line of its own to one PostgreSQL, which dies in the middle. */
export async function postgresCast(random: Random, { standby }: PostgresCastOptions): Promise<Cast> {
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-history-'));
  const primary = await startPostgres();
  const follower = await primary.startStandby({ synchronous: standby === 'synchronous' });
  const database = new URL((await createDatabase(primary.url())).url);
  const ports = [await freePort(), await freePort()];
  const actors: Actor[] = [];
  for (const port of [...ports, undefined, undefined]) {
    const relay = await startRelay(primary.port);
    const clock = fakeClock(directory, String(actors.length));
    database.port = String(relay.port);
    const own = { ...env, ...clock.env, HAYRAKE_DATABASE_URL: database.href, HAYRAKE_DATABASE_CONNECTIONS: '5' };
    const member = new Member(
      port === undefined ? { role: 'worker', env: own } : { role: 'api', env: { ...own, HAYRAKE_PORT: String(port) } },
    );
    member.start();
    actors.push({ member, relay, clock });
  }
  let server = primary;
  return {
    origins: ports.map((port) => `http://127.0.0.1:${port}`),
    faults: {
      kill: async () => {
        const { member } = random.of(actors);
        await member.kill();
        if (random.chance(0.4)) await sleep(random.between(200, leaseMs * 1.5));
        member.start();
      },
      stop: async () => {
        const { member } = random.of(actors);
        member.pause();
        await sleep(leaseMs + random.between(-1_000, 2_500));
        member.goOn();
      },
      silence: async () => {
        const { relay } = random.of(actors);
        relay.setSilent(true);
        await sleep(leaseMs + random.between(-1_000, 4_000));
        relay.setSilent(false);
      },
      cut: async () => {
        const { relay } = random.of(actors);
        relay.to(server.port);
      },
      database: () => server.restart(random.of(['fast', 'immediate'])),
      clock: async () => random.of(actors).clock.set(random.of(clockSeconds)),
    },
    turn: async () => {
      if (standby === 'asynchronous') {
        await follower.stopFollowing();
        await sleep(1_000);
      }
      await primary.stop('immediate');
      server = follower;
      await follower.promote();
      for (const { relay } of actors) relay.to(follower.port);
    },
    failed: Promise.race(actors.map(({ member }) => member.failed)),
    close: async () => {
      for (const { member } of actors) await member.close();
      for (const { relay } of actors) await relay.close();
      await Promise.all([primary.remove(), follower.remove()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
