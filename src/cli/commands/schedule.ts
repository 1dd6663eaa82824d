import type { Schedule as ScheduleAnswer } from '../../../packages/client/index.ts';
import { exitCodes, UserError } from '../../core/errors.ts';
import { permissions } from '../../core/permissions.ts';
import type { Schedule } from '../../core/schedule.ts';
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  runSchedule,
  type ScheduleParts,
} from '../../jobs/schedules/manage-schedules.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import { type Flags, numberFlag, textFlag } from '../flags.ts';
import { isBeginning, onlyOne } from '../named-job.ts';
import { inTermsOfFlags, optionFields } from '../option-flags.ts';
import { printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';
import { askService } from '../verbs/service-verbs.ts';
import { remoteOf } from '../verbs/with-verbs.ts';

type Shown = Pick<
  Schedule,
  'id' | 'name' | 'cron' | 'timeZone' | 'nextRunAt' | 'lastJob' | 'lastError' | 'pausedBy'
> & {
  readonly json: object;
};

/** Schedules in a store or in a running service. */
interface Verbs {
  add(body: Readonly<Record<string, unknown>>): Promise<Shown>;
  list(): Promise<readonly Shown[]>;
  show(id: string): Promise<Shown>;
  pause(id: string, paused: boolean): Promise<Shown>;
  remove(id: string): Promise<Shown>;
  /** Returns the job; undefined if it waits for the end of the last run. */
  run(id: string): Promise<string | undefined>;
}

const rowsPerRead = 400;

export function runScheduleAdd(
  program: Program,
  name: string,
  cron: string,
  urls: readonly string[],
  flags: Flags,
): Promise<number> {
  const [timeZone, overlap] = [textFlag(flags, 'timeZone'), textFlag(flags, 'overlap')];
  const keep = numberFlag(flags, 'keep', '--keep');
  const body = {
    name,
    cron,
    job: { urls, ...optionFields(flags, 'crawl') },
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(overlap !== undefined && { overlap }),
    ...(keep !== undefined && { keep }),
  };
  return withSchedules(program, flags, urls, async (verbs) => {
    const added = await verbs.add(body);
    process.stderr.write(`${lineOf(added)}\n`);
    process.stdout.write(`${added.id}\n`);
  });
}

export function runScheduleList(program: Program, flags: Flags): Promise<number> {
  return withSchedules(program, flags, [], async (verbs) => {
    for (const each of await verbs.list())
      process.stdout.write(`${flags['json'] === true ? JSON.stringify(each.json) : lineOf(each)}\n`);
  });
}

export function runScheduleShow(program: Program, given: string, flags: Flags): Promise<number> {
  return withSchedules(program, flags, [], async (verbs) => {
    const id = await namedSchedule(verbs, given);
    process.stdout.write(`${JSON.stringify((await verbs.show(id)).json, undefined, 2)}\n`);
  });
}

export function runScheduleRun(program: Program, given: string, flags: Flags): Promise<number> {
  return withSchedules(program, flags, [], async (verbs) => {
    const job = await verbs.run(await namedSchedule(verbs, given));
    if (job === undefined) process.stderr.write('The run begins when the last one ends.\n');
    else process.stdout.write(`${job}\n`);
  });
}

export function runSchedulePause(program: Program, given: string, flags: Flags, paused: boolean): Promise<number> {
  return withSchedules(program, flags, [], async (verbs) => {
    const id = await namedSchedule(verbs, given);
    process.stderr.write(`${lineOf(await verbs.pause(id, paused))}\n`);
  });
}

export function runScheduleRemove(program: Program, given: string, flags: Flags): Promise<number> {
  return withSchedules(program, flags, [], async (verbs) => {
    const id = await namedSchedule(verbs, given);
    process.stderr.write(`Schedule ${(await verbs.remove(id)).id} is deleted. Its jobs stay.\n`);
  });
}

/** An id, or the beginning of exactly one, as of a job. Other text is returned unchanged, and refused later. */
async function namedSchedule(verbs: Verbs, given: string): Promise<string> {
  if (!isBeginning(given)) return given;
  return onlyOne(await verbs.list(), given, 'schedules') ?? given;
}

function lineOf({ id, name, cron, timeZone, nextRunAt, lastJob, lastError, pausedBy }: Shown): string {
  const next = nextRunAt === null ? `paused (${pausedBy ?? ''})` : `next ${new Date(nextRunAt).toISOString()}`;
  const last = lastJob === null ? '' : `  last ${lastJob}`;
  const error = lastError ? `  ! ${printable(lastError.message)}` : '';
  return `${id}  ${cron}  ${timeZone}  ${next}  ${printable(name)}${last}${error}`;
}

async function withSchedules(
  program: Program,
  flags: Flags,
  urls: readonly string[],
  use: (verbs: Verbs) => Promise<void>,
): Promise<number> {
  const remote = remoteOf(program, flags);
  try {
    if (remote) await askService(remote.server, () => use(serviceSchedules(remote.client)));
    else await withStore(program, flags, use);
  } catch (error) {
    throw error instanceof UserError ? inTermsOfFlags(withoutJob(error), 'crawl', urls, remote !== undefined) : error;
  }
  return exitCodes.done;
}

/** The options of the job are flags of this command. */
function withoutJob({ code, message, fields, members }: UserError): UserError {
  const own = fields.map((one) => ({ ...one, field: one.field.replace(/^job\./, '') }));
  return new UserError(code, message, own, members);
}

function serviceSchedules(client: NonNullable<ReturnType<typeof remoteOf>>['client']): Verbs {
  return {
    add: async (body) => ofAnswer(await client.createSchedule(body as Parameters<typeof client.createSchedule>[0])),
    list: async () => {
      const all: Shown[] = [];
      for await (const each of client.schedules()) all.push(ofAnswer(each));
      return all;
    },
    show: async (id) => ofAnswer(await client.schedule(id)),
    pause: async (id, paused) => ofAnswer(await client.changeSchedule(id, { paused })),
    remove: async (id) => ofAnswer(await client.deleteSchedule(id)),
    run: async (id) => (await client.runSchedule(id)).job?.id,
  };
}

async function withStore(program: Program, flags: Flags, use: (verbs: Verbs) => Promise<void>): Promise<void> {
  const { config } = program.readConfig(flags);
  const store = await program.openStore(config, { crawling: false });
  const destinations = program.createDestinations(config);
  try {
    const { schedulesPerOrg, webhookHttp, outputExpirySeconds } = config;
    const hasBrowser = (): Promise<boolean> => program.hasBrowser(config);
    const settings = { schedulesPerOrg, webhookHttp, outputExpirySeconds, destinations, hasBrowser };
    await use(storeSchedules({ ...settings, ...store, cursors: program.cursorsOf(store) }));
  } finally {
    await destinations.close();
    await store.close();
  }
}

function storeSchedules(parts: ScheduleParts): Verbs {
  const org = defaultOrg;
  // The owner of the machine.
  const caller = { org, permissions, token: '' };
  return {
    add: async (body) => ofSchedule(await createSchedule(parts, caller, body)),
    list: async () => {
      const all: Shown[] = [];
      for (let cursor: string | undefined; ;) {
        const found = await listSchedules(parts, org, { limit: rowsPerRead, ...(cursor !== undefined && { cursor }) });
        all.push(...found.schedules.map(ofSchedule));
        if (found.cursor === undefined) return all;
        ({ cursor } = found);
      }
    },
    show: async (id) => ofSchedule(await getSchedule(parts, org, id)),
    pause: async (id, paused) => ofSchedule((await changeSchedule(parts, caller, id, { paused })).schedule),
    remove: async (id) => ofSchedule(await deleteSchedule(parts, org, id)),
    run: async (id) => (await runSchedule(parts, org, id)).job?.id,
  };
}

function ofAnswer(answer: ScheduleAnswer): Shown {
  const { time_zone: timeZone, ...rest } = answer;
  return { ...rest, timeZone, json: answer };
}

function ofSchedule(schedule: Schedule): Shown {
  const { timeZone, writer: _, webhookUrl: __, version: ___, ...rest } = schedule;
  return { ...schedule, json: { ...rest, time_zone: timeZone } };
}
