import { untilSomething } from '../../jobs/follow-job.ts';
import { z } from 'zod';
import { hasEnded, type Job } from '../../core/job.ts';
import { meaningOf } from '../../core/reasons.ts';
import { getJob } from '../../jobs/get-job.ts';
import { listJobs } from '../../jobs/list-jobs.ts';
import { callOf } from '../response/call.ts';
import { oneLine } from '../response/cut-text.ts';
import { listResponse } from '../response/list-response.ts';
import { Marker } from '../response/untrusted.ts';
import { defineTool, jobArgument, type ToolContext, usualChars } from '../tool.ts';

/** Clients give up after a minute. */
const waitSecondsMax = 50;
const jobsShown = 20;
const urlCharsMax = 300;
const noticesShown = 10;
const noticeCharsMax = 500;

export const crawlStatus = defineTool({
  name: 'crawl_status',
  title: 'Wait for a crawl',
  description:
    'Returns how far a crawl is, and why URLs did not become pages. Waits until the crawl ends, up to `wait` seconds: call it again instead of polling. Without `job` it lists the newest jobs.',
  kind: 'follows',
  input: z.strictObject({
    job: jobArgument.optional(),
    wait: z.int().min(0).max(waitSecondsMax).default(30).describe('Seconds to wait for the end. 0: answer at once.'),
  }),
  run: async (context, { job, wait }) =>
    job === undefined ? newestJobs(context) : describeJob(await untilEnded(context, job, wait)),
});

const stopped = 'Somebody has stopped it. It continues only after `hayrake resume` or a resume request of the API.';

function untilEnded({ parts, caller, signal }: ToolContext, id: string, waitSeconds: number): Promise<Job> {
  return untilSomething(
    { ...parts, jobId: id, waitMs: waitSeconds * 1000, signal },
    () => getJob(parts.jobs, caller.org, id),
    ({ stoppedAt }) => stoppedAt !== null,
  );
}

function describeJob(job: Job): string {
  const { id, status, progress, reasons, findings, notices, spec } = job;
  const { scraped, queued, inFlight, discarded, failed, outside } = progress;
  const seconds = Math.round(((job.finishedAt ?? Date.now()) - job.createdAt) / 1000);
  const ended = hasEnded(status);
  const rest = ended ? '' : `, ${queued + inFlight} URLs still to fetch`;
  const why = Object.entries(reasons)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `- ${reason}: ${count}. ${meaningOf(reason)}`);
  const shown = [
    ...findings.map(({ code, message, remedy }) => `- ${code}: ${oneLine(`${message} ${remedy}`, noticeCharsMax)}`),
    ...notices.slice(0, noticesShown).map(({ code, message }) => `- ${code}: ${oneLine(message, noticeCharsMax)}`),
  ];
  if (notices.length > noticesShown) shown.push(`- ${notices.length - noticesShown} more notices are not shown.`);
  const limit = reasons['page_limit'];
  return [
    `Job ${id} (${job.kind}) ${ended ? `has ended: ${status}` : `is ${status}`}. Pages: ${scraped} of at most ${spec.pageLimit}${rest}. Time: ${seconds} s.`,
    ...(job.complete === null
      ? []
      : [job.complete ? 'The result is complete.' : 'The result is incomplete: the findings below say why.']),
    ...(discarded + failed + outside === 0
      ? []
      : [`URLs that are not pages: ${discarded} discarded, ${failed} failed, ${outside} outside the crawl.`, ...why]),
    ...(limit === undefined
      ? []
      : [
          `The limit of ${spec.pageLimit} pages left out ${limit} URLs. For all of them, call crawl_start with a higher page_limit.`,
        ]),
    ...(job.stoppedAt === null ? [] : [stopped]),
    ...(job.areResultsGone ? ['Its results were deleted or have expired. Crawl again to get them.'] : []),
    new Marker().enclose([`Start: ${oneLine(spec.urls[0] ?? '', urlCharsMax)}`, ...shown].join('\n')) + nextCalls(job),
  ].join('\n');
}

function nextCalls({ id, status, progress, areResultsGone, stoppedAt }: Job): string {
  const wait =
    hasEnded(status) || stoppedAt !== null ? [] : [`${callOf('crawl_status', { job: id, wait: 30 })} to wait`];
  const read =
    progress.scraped === 0 || areResultsGone
      ? []
      : [`${callOf('search', { job: id, q: 'WORDS' })} to find pages`, `${callOf('pages', { job: id })} to list them`];
  const all = [...wait, ...read];
  return all.length === 0 ? '' : `Next: ${all.join('; ')}.`;
}

async function newestJobs({ parts, caller }: ToolContext): Promise<string> {
  const { jobs } = await listJobs(parts, caller.org, { limit: jobsShown, kind: 'crawl' });
  const lines = jobs.map(
    ({ id, status, progress, createdAt, spec }) =>
      `${id}\t${status}\t${progress.scraped} pages\t${new Date(createdAt).toISOString().slice(0, 16)}Z\t${oneLine(spec.urls[0] ?? '', urlCharsMax)}`,
  );
  if (lines.length === 0) return 'There is no crawl yet. crawl_start begins one.';
  return listResponse({
    head: 'The newest crawls: id, status, pages, created, start URL.',
    lines,
    tail: () => '',
    tailChars: 0,
    maxChars: usualChars,
  });
}
