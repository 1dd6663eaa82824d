// A converter thread: one task after the other, in the order in which they came.
import { parentPort, type MessagePort } from 'node:worker_threads';
import type { JobBrief } from '../job-cache.ts';
import { compileJob, type JudgedJob } from '../../url/scope.ts';
import { convertPage } from './convert-page.ts';
import type { ConvertedPage, PageInput, SitemapInput, SitemapLinks } from './converter.ts';
import { readSitemap } from './read-sitemap.ts';

export type ConverterTask =
  | { readonly id: number; readonly kind: 'page'; readonly input: PageInput }
  | { readonly id: number; readonly kind: 'sitemap'; readonly input: SitemapInput };

export interface ConverterReply {
  readonly id: number;
  /** Absent when the task threw: a defect of ours, told in `defect`. */
  readonly value?: ConvertedPage | SitemapLinks;
  readonly defect?: string;
}

/** `ready` comes first: everything is loaded. */
export type ThreadMessage = 'ready' | ConverterReply;

const judgedMax = 100;

function run(port: MessagePort): void {
  const judged = new Map<string, JudgedJob>();

  const judgedJob = (brief: JobBrief): JudgedJob => {
    const known = judged.get(brief.name);
    if (known) return known;
    if (judged.size >= judgedMax) judged.clear();
    const made = compileJob(brief);
    judged.set(brief.name, made);
    return made;
  };

  port.on('message', (task: ConverterTask) => {
    const job = judgedJob(task.input.job);
    try {
      const value = task.kind === 'page' ? convertPage(task.input, job) : readSitemap(task.input, job);
      port.postMessage({ id: task.id, value } satisfies ConverterReply, transferable(value));
    } catch (error) {
      const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
      port.postMessage({ id: task.id, defect } satisfies ConverterReply);
    }
  });
  port.postMessage('ready' satisfies ThreadMessage);
}

function transferable(value: ConvertedPage | SitemapLinks): ArrayBuffer[] {
  if (!('kind' in value) || value.kind !== 'page') return [];
  return [value.page.meta.buffer, value.page.body.deflated.buffer].filter((buffer) => buffer instanceof ArrayBuffer);
}

if (parentPort) run(parentPort);
