import { discovered, type Job, type JobStatus } from '../../core/job.ts';
import { exitCodes } from '../../core/errors.ts';
import { listJobs } from '../../jobs/list-jobs.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { numberFlag, textFlag } from '../flags.ts';
import { placeOf } from '../output/place.ts';
import { printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Lists the jobs of the default org, newest first. A service can run meanwhile. */
export async function runJobs(program: Program, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const limit = numberFlag(flags, 'limit', '--limit') ?? 50;
  const status = textFlag(flags, 'status') as JobStatus | 'stopped' | undefined;
  const store = await program.openStore(config, { crawling: false });
  try {
    const jobs = await jobsIn({ jobs: store.jobs, cursors: program.cursorsOf(store) }, status, limit);
    if (flags['json'] === true) process.stdout.write(jobs.map(lineOf).join(''));
    else if (jobs.length > 0) process.stdout.write(tableOf(jobs));
    if (jobs.length > 0) return exitCodes.done;
    const place = config.databaseUrl === undefined ? config.data : placeOf(config);
    process.stderr.write(
      status === undefined
        ? `No jobs in ${place} yet. \`hayrake crawl https://example.com\` makes one.\n`
        : `No jobs in ${place} with this status. \`hayrake jobs\` lists all.\n`,
    );
    return exitCodes.done;
  } finally {
    await store.close();
  }
}

/** Jobs that one read returns, as in the API. */
const sliceMax = 400;

/** `stopped` is no status of its own: a stopped job is starting or running. */
async function jobsIn(
  parts: Parameters<typeof listJobs>[0],
  status: JobStatus | 'stopped' | undefined,
  limit: number,
): Promise<readonly Job[]> {
  const statuses = status === 'stopped' ? (['starting', 'running'] as const) : [status];
  const found: Job[] = [];
  for (const one of statuses) {
    let cursor: string | undefined;
    do {
      const query = {
        limit: Math.min(limit, sliceMax),
        ...(one && { status: one }),
        ...(cursor !== undefined && { cursor }),
      };
      const slice = await listJobs(parts, defaultOrg, query);
      found.push(...slice.jobs.filter(({ stoppedAt }) => status !== 'stopped' || stoppedAt !== null));
      cursor = slice.cursor;
    } while (cursor !== undefined && found.length < limit);
  }
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
}

function lineOf({ id, status, createdAt, stoppedAt, progress, spec }: Job): string {
  const counts = { discovered: discovered(progress), ...progress };
  return `${JSON.stringify({ id, status, createdAt, stoppedAt, progress: counts, urls: spec.urls })}\n`;
}

function tableOf(jobs: readonly Job[]): string {
  const rows = jobs.map(({ id, status, stoppedAt, createdAt, progress, spec }) => {
    const more = spec.urls.length > 1 ? ` and ${spec.urls.length - 1} more` : '';
    const { scraped, queued, inFlight, failed } = progress;
    const state = stoppedAt === null ? status : 'stopped';
    return [
      id,
      state,
      new Date(createdAt).toISOString(),
      scraped,
      queued + inFlight,
      failed,
      `${printable(spec.urls[0] ?? '')}${more}`,
    ];
  });
  const all = [['JOB', 'STATUS', 'CREATED', 'PAGES', 'QUEUED', 'FAILED', 'URL'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => String(row[column]).length))) ?? [];
  const cell = (value: string | number, column: number): string =>
    typeof value === 'number' || isCount(column)
      ? String(value).padStart(widths[column] ?? 0)
      : value.padEnd(widths[column] ?? 0);
  return all.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('');
}

function isCount(column: number): boolean {
  return column >= 3 && column <= 5;
}
