import type { Baselines } from '../../core/ports/baselines.ts';
import type { PageBlobs } from '../../core/ports/blobs.ts';
import type { JobChanges } from '../../core/ports/changes.ts';
import type { Erasures } from '../../core/ports/erasures.ts';
import type { Frontier } from '../../core/ports/frontier.ts';
import type { CrawlStatus } from '../../core/ports/crawl-status.ts';
import type { Lessons } from '../../core/ports/lessons.ts';
import type { SegmentObjects } from '../../core/ports/object-store.ts';
import type { Reextractions } from '../../core/ports/reextractions.ts';
import type { ScheduleStore } from '../../core/ports/schedules.ts';
import type { JobStore, Listener, PageStore, SessionStore, Store, TokenStore } from '../../core/ports/stores.ts';
import type { WorkQueue } from '../../core/ports/work.ts';
import type { Outbox } from '../../core/webhook.ts';
import { changes } from './changes.ts';
import { crawlStatus, hostLists } from './crawl-status.ts';
import { jobLists } from './job-lists.ts';
import { erasePage } from './erasing.ts';
import { baselineReads, type Endings, endings, frontierReads, jobReads, reextractionReads } from './job-reads.ts';
import { baselineWrites, frontierWrites, jobWrites, reextractionWrites, runWrites } from './job-writes.ts';
import { ledgerReads } from './ledger-reads.ts';
import { lessons } from './lessons.ts';
import { objectRows } from './object-rows.ts';
import { all, send, timeOf, type Operation, type OperationsOf } from './operation.ts';
import { rawBodies, screenshots } from './page-parts.ts';
import { schedules } from './schedules.ts';
import { sessions } from './sessions.ts';
import { isIn, sql } from './sql.ts';
import { tokens } from './tokens.ts';
import { webhookKeys } from './webhook-keys.ts';
import { work } from './work.ts';

// Where processes listen, stored as settings of the database: one row per listener, valid until a time.

const prefix = 'listener ';

interface Noted extends Listener {
  readonly until: number;
}

const listeners: OperationsOf<Pick<Store, 'noteListener'>> = {
  noteListener: {
    kind: 'write',
    waits: true,
    *steps(own: Listener | undefined, keptMs: number) {
      const now = yield* timeOf();
      if (own) {
        const { machine, addresses, port } = own;
        const value = new TextEncoder().encode(JSON.stringify({ ...own, until: now + keptMs } satisfies Noted));
        yield* send(
          sql`INSERT INTO setting (name, value) VALUES (${`${prefix}${machine} ${addresses.join(',')} ${port}`}, ${value})
            ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        );
      }
      const rows = yield* all<{ name: string; value: Uint8Array }>(
        sql`SELECT name, value FROM setting WHERE name LIKE ${`${prefix}%`}`,
      );
      const noted = rows.map(({ name, value }) => ({ name, of: JSON.parse(new TextDecoder().decode(value)) as Noted }));
      // They were not renewed in time.
      const expired = noted.filter(({ of }) => of.until <= now).map(({ name }) => name);
      if (expired.length > 0) yield* send(sql`DELETE FROM setting WHERE name ${isIn(expired)}`);
      return noted.map(({ of }) => of).filter(({ until }) => until > now);
    },
  },
};

/** The ports, or parts of ports, that both stores share. */
export interface SharedPorts {
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly jobs: Omit<JobStore, 'countTree' | 'waitForChange'>;
  readonly crawlStatus: CrawlStatus;
  readonly pages: Pick<PageStore, 'screenshot'>;
  readonly blobs: PageBlobs;
  readonly baselines: Baselines;
  readonly reextractions: Reextractions;
  readonly frontier: Pick<Frontier, 'crawlJob' | 'knownUrl' | 'noteNetworks'>;
  readonly endings: Endings;
  readonly erasures: Erasures;
  readonly work: Pick<WorkQueue, keyof typeof work>;
  readonly lessons: Lessons;
  readonly changes: JobChanges;
  readonly schedules: ScheduleStore;
  readonly webhookKeys: Pick<Outbox, 'keys' | 'rotateKey'>;
  readonly listeners: Pick<Store, 'noteListener'>;
  readonly objects: SegmentObjects;
}

const operations: { readonly [Port in keyof SharedPorts]: OperationsOf<SharedPorts[Port]> } = {
  tokens,
  sessions,
  jobs: { ...jobReads, ...jobLists, ...ledgerReads, ...jobWrites, ...hostLists },
  crawlStatus,
  pages: screenshots,
  blobs: rawBodies,
  baselines: { ...baselineReads, ...baselineWrites },
  reextractions: { ...reextractionReads, ...reextractionWrites },
  frontier: { ...frontierReads, ...frontierWrites },
  endings,
  erasures: { erase: { kind: 'write', makesRoom: true, erases: true, steps: erasePage } },
  work,
  lessons,
  changes,
  schedules: { ...schedules, ...runWrites },
  webhookKeys,
  listeners,
  objects: objectRows,
};

/** Port and method: threads exchange it. */
export type OperationName = readonly [port: string, method: string];

const table: Readonly<Record<string, Readonly<Record<string, Operation>>>> = operations;

export function operationOf([port, method]: OperationName): Operation {
  const operation = table[port]?.[method];
  if (!operation) throw new Error(`there is no operation ${port}.${method}`);
  return operation;
}

/** The ports of a store that runs operations like this. */
export function sharedPorts(call: (name: OperationName, args: readonly unknown[]) => Promise<unknown>): SharedPorts {
  const ports = Object.entries(table).map(([port, methods]) => [
    port,
    Object.fromEntries(
      Object.keys(methods).map((method) => [method, (...args: readonly unknown[]) => call([port, method], args)]),
    ),
  ]);
  return Object.fromEntries(ports) as SharedPorts;
}
