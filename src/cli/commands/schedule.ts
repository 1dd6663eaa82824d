import type { Hayrake, NewSchedule, Schedule } from '../../../packages/client/index.ts';
import { exitCodes, UserError } from '../../core/errors.ts';
import { type Flags, numberFlag, textFlag } from '../flags.ts';
import { type Access, withAccess } from '../access.ts';
import { isBeginning, onlyOne } from '../named-job.ts';
import { inTermsOfFlags, optionFields } from '../option-flags.ts';
import { printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';

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
  return withSchedules(program, flags, urls, async (client) => {
    const added = await client.createSchedule(body as NewSchedule);
    process.stderr.write(`${lineOf(added)}\n`);
    process.stdout.write(`${added.id}\n`);
  });
}

export function runScheduleList(program: Program, flags: Flags): Promise<number> {
  return withSchedules(program, flags, [], async (client) => {
    for await (const each of client.schedules())
      process.stdout.write(`${flags['json'] === true ? JSON.stringify(each) : lineOf(each)}\n`);
  });
}

export function runScheduleShow(program: Program, given: string, flags: Flags): Promise<number> {
  return withSchedules(program, flags, [], async (client) => {
    const id = await namedSchedule(client, given);
    process.stdout.write(`${JSON.stringify(await client.schedule(id), undefined, 2)}\n`);
  });
}

export function runScheduleRun(program: Program, given: string, flags: Flags): Promise<number> {
  return withSchedules(program, flags, [], async (client) => {
    const { job } = await client.runSchedule(await namedSchedule(client, given));
    if (job === null) process.stderr.write('The run begins when the last one ends.\n');
    else process.stdout.write(`${job.id}\n`);
  });
}

export function runSchedulePause(program: Program, given: string, flags: Flags, paused: boolean): Promise<number> {
  return withSchedules(program, flags, [], async (client) => {
    const id = await namedSchedule(client, given);
    process.stderr.write(`${lineOf(await client.changeSchedule(id, { paused }))}\n`);
  });
}

export function runScheduleRemove(program: Program, given: string, flags: Flags): Promise<number> {
  return withSchedules(program, flags, [], async (client) => {
    const id = await namedSchedule(client, given);
    process.stderr.write(`Schedule ${(await client.deleteSchedule(id)).id} is deleted. Its jobs stay.\n`);
  });
}

/** An id, or the beginning of exactly one, as of a job. Other text is returned unchanged, and refused later. */
async function namedSchedule(client: Hayrake, given: string): Promise<string> {
  if (!isBeginning(given)) return given;
  const all = [];
  for await (const { id } of client.schedules()) all.push({ id });
  return onlyOne(all, given, 'schedules') ?? given;
}

function lineOf({ id, name, cron, time_zone: timeZone, nextRunAt, lastJob, lastError, pausedBy }: Schedule): string {
  const next = nextRunAt === null ? `paused (${pausedBy ?? ''})` : `next ${new Date(nextRunAt).toISOString()}`;
  const last = lastJob === null ? '' : `  last ${lastJob}`;
  const error = lastError ? `  ! ${printable(lastError.message)}` : '';
  return `${id}  ${cron}  ${timeZone}  ${next}  ${printable(name)}${last}${error}`;
}

async function withSchedules(
  program: Program,
  flags: Flags,
  urls: readonly string[],
  use: (client: Hayrake) => Promise<void>,
): Promise<number> {
  let isRemote = false;
  const run = async ({ client, server }: Access): Promise<number> => {
    isRemote = server !== undefined;
    await use(client);
    return exitCodes.done;
  };
  try {
    return await withAccess(program, flags, run, { mayCreate: true });
  } catch (error) {
    throw error instanceof UserError ? inTermsOfFlags(withoutJob(error), 'crawl', urls, isRemote) : error;
  }
}

/** The options of the job are flags of this command. */
function withoutJob({ code, message, fields, members }: UserError): UserError {
  const own = fields.map((one) => ({ ...one, field: one.field.replace(/^job\./, '') }));
  return new UserError(code, message, own, members);
}
