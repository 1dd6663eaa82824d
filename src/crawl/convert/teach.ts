// Learns from an answer of the model, in a converter thread: every known page is parsed again.
import { inflateRawSync } from 'node:zlib';
import { fieldsOf } from '../../core/extract.ts';
import { lessonOf } from '../../extract/learn/lesson.ts';
import type { Sample } from '../../extract/learn/rules.ts';
import { type OpenPage, openPage } from '../../extract/open-page.ts';
import type { Taught, TeachInput } from './converter.ts';

export function teach({ job, page, given, samples, rules, base }: TeachInput): Taught {
  const { extract, content } = job.spec;
  if (extract === null) return { lesson: undefined };
  const open = ({ url, html }: Pick<Sample, 'url' | 'html'>): OpenPage =>
    openPage(html, { url, headers: noHeaders, robotsTag: new Set(), content }, true);
  const known = samples.map(({ url, html, answer }): Sample => {
    return { url, answer, html: inflateRawSync(html, { maxOutputLength: htmlBytesMax }).toString() };
  });
  return { lesson: lessonOf(given, page, { samples: known, rules, base }, extract, fieldsOf(extract), open) };
}

const noHeaders = { link: '', refresh: '', contentLanguage: '' };
const htmlBytesMax = 2 ** 20;
