// A converter thread: one task after the other, in order of arrival.
import { startDepth } from '../../../core/request.ts';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { failPoint } from '../../../core/process/fail-point.ts';
import type { DocumentKind } from '../../../core/bytes/file-kind.ts';
import { pageTypeOf } from '../../../core/bytes/page-type.ts';
import { freeBytes } from '../../../core/process/free-bytes.ts';
import { isLostByPdf } from '../../../documents/lost-by-pdf.ts';
import type { JobBrief } from '../../job/job-cache.ts';
import { compileJob, type JudgedJob } from '../../../url/scope.ts';
import { collectAfter } from './collect-garbage.ts';
import { documentSignatures } from '../binary-data.ts';
import { convertPage } from '../convert-page.ts';
import type { ConvertedPage, PageInput, SitemapInput, SitemapLinks, Taught, TeachInput } from '../converter.ts';
import { KnownLinks } from './known-links.ts';
import { readSitemap } from '../read-sitemap.ts';

export type ConverterTask =
  | { readonly id: number; readonly kind: 'page'; readonly input: PageInput }
  | { readonly id: number; readonly kind: 'sitemap'; readonly input: SitemapInput }
  | { readonly id: number; readonly kind: 'lesson'; readonly input: TeachInput };

/** A task as it is sent to a thread. The brief of its job is apart: it comes with the first task of the job only. */
export type ThreadTask = WithoutJob<ConverterTask> & {
  readonly job: SentBrief;
  /** Conversions whose links were stored since the previous task. */
  readonly committed: readonly number[];
};

type WithoutJob<Task extends ConverterTask> = Task extends ConverterTask
  ? Omit<Task, 'input'> & { readonly input: Omit<Task['input'], 'job'> }
  : never;

export interface SentBrief {
  /** Where the thread keeps it. */
  readonly place: number;
  /** Absent if the thread has it at this place. */
  readonly brief?: JobBrief;
}

export interface ConverterReply {
  readonly id: number;
  /** Absent when the task threw: a defect of ours, described in `defect`. */
  readonly value?: Value;
  readonly defect?: string;
}

/** `ready` comes first, once everything is loaded. */
export type ThreadMessage = 'ready' | ConverterReply;

type Value = ConvertedPage | SitemapLinks | Taught;

const judgedMax = 100;
/** Of a lesson, which parses many pages. */
const lessonBytes = { byteLength: 2 ** 20 };

/** Loaded with the first file: readers of files are a third of the code, and most threads meet none. */
async function fileOf(input: PageInput, kind: DocumentKind): Promise<ConvertedPage> {
  const { convertFile } = await import('../convert-file.ts');
  return convertFile(input, kind);
}

function run(port: MessagePort): void {
  const judged = new Map<string, JudgedJob>();
  const known = new KnownLinks();

  const judgedJob = (brief: JobBrief): JudgedJob => {
    const known = judged.get(brief.name);
    if (known) return known;
    if (judged.size >= judgedMax) judged.clear();
    const made = compileJob(brief);
    judged.set(brief.name, made);
    return made;
  };

  const valueOf = async (task: ConverterTask): Promise<Value> => {
    if (task.kind === 'lesson') return (await import('../teach.ts')).teach(task.input);
    const job = judgedJob(task.input.job);
    if (task.kind === 'sitemap') return readSitemap(task.input, job);
    const { file, headers } = task.input;
    const isFile = file !== undefined && file !== 'markdown' && pageTypeOf(headers.contentType) !== 'xml';
    if (isFile) return fileOf(task.input, file);
    const names = linkNames(task.input);
    const page = await convertPage(task.input, job, (link, depth) =>
      names.some((name) => known.has(name, link, depth)),
    );
    if (page.kind !== 'binary') return page;
    if (file !== undefined && file !== 'markdown') return fileOf(task.input, file);
    const wantsFiles = task.input.job.spec.includeLinkedFiles || task.input.depth === startDepth;
    return documentSignatures.has(page.detail) && wantsFiles ? fileOf(task.input, 'unknown') : page;
  };

  const withoutKnown = (task: ConverterTask, value: Value): Value => {
    if (!('kind' in value) || (value.kind !== 'page' && value.kind !== 'short')) return value;
    const [name = task.input.job.name] = task.kind === 'page' ? linkNames(task.input) : [];
    const links = known.untold(task.id, name, value.links);
    return { ...value, links, ...(links.length > 0 && { conversion: task.id }) };
  };

  const briefs: JobBrief[] = [];
  const taskOf = ({ job: { place, brief }, ...sent }: ThreadTask): ConverterTask => {
    if (brief) briefs[place] = brief;
    const job = briefs[place];
    if (!job) throw new Error(`no job at place ${place}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the task that the pool took apart
    return { ...sent, input: { ...sent.input, job } } as ConverterTask;
  };

  const work = async (task: ConverterTask, committed: readonly number[]): Promise<void> => {
    const { byteLength } = task.kind === 'lesson' ? lessonBytes : task.input.body;
    try {
      failPoint('convert.begun');
      known.committed(committed);
      const value = withoutKnown(task, await valueOf(task));
      failPoint('convert.done');
      port.postMessage({ id: task.id, value } satisfies ConverterReply, transferable(value));
    } catch (error) {
      const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
      port.postMessage({ id: task.id, defect } satisfies ConverterReply);
    }
    if (task.kind !== 'lesson') freeBytes(task.input.body);
    collectAfter(byteLength, { isFile: 'file' in task.input });
  };

  process.on('unhandledRejection', (error) => {
    if (!isLostByPdf(error)) throw error;
  });

  // Reading a file is asynchronous; the next task begins after it.
  let last = Promise.resolve();
  port.on('message', (sent: ThreadTask) => {
    const task = taskOf(sent);
    last = last.then(() => work(task, sent.committed));
  });
  port.postMessage('ready' satisfies ThreadMessage);
}

/**
 * Names under which links are known, the page's own first. Links of a rendered page are apart: that scripts made a link
 * must not keep a page that has it as received from reporting it.
 */
function linkNames({ job, isRendered }: PageInput): readonly string[] {
  return isRendered === true ? [`${job.name} rendered`, job.name] : [job.name];
}

function transferable(value: Value): ArrayBuffer[] {
  if (!('kind' in value) || value.kind !== 'page') return [];
  const { meta, body } = value.page;
  const all = [meta.deflated, body.deflated, value.unpacked].flatMap((bytes) => bytes?.buffer ?? []);
  return all.filter((buffer) => buffer instanceof ArrayBuffer);
}

if (parentPort) run(parentPort);
