import { GzipMember } from '../page/gzip-member.ts';
import { addPackedRows } from '../page/join-rows.ts';
import { pageLine, rowLines } from '../page/lines.ts';
import type { Encode, ExportedJob } from './export-format.ts';

/** The lines of `/data` as NDJSON. The file has pages only, unless the client asked for the line of the end. */
export const encodeJsonl: Encode = async function* (slices, job) {
  let damaged = 0;
  for await (const { pages, damagedPage } of slices) {
    for (const stored of pages) yield pageLine(stored);
    if (damagedPage === undefined) continue;
    damaged++;
    yield damagedLine(damagedPage);
  }
  if (job.withEnd === true) yield endLine(job, damaged);
};

/** The same as one gzip member. Joins the stored bytes, which are compressed already. */
export const encodePackedJsonl: Encode = async function* (slices, job) {
  const member = new GzipMember();
  let damaged = 0;
  for await (const { pages, damagedPage } of slices) {
    if (pages.length > 0) addPackedRows(member, pages, rowLines);
    if (damagedPage !== undefined) {
      damaged++;
      member.literal(damagedLine(damagedPage));
    }
    yield member.drain();
  }
  if (job.withEnd === true) member.literal(endLine(job, damaged));
  member.end();
  yield member.drain();
};

function damagedLine(page: number): string {
  return `${JSON.stringify({ error: 'page_damaged', page })}\n`;
}

/** Distinguishes a complete file from a cut one. `pages`: all committed pages, including damaged ones. */
function endLine({ total }: ExportedJob, damaged: number): string {
  return `${JSON.stringify({ end: true, pages: total, ...(damaged > 0 && { damaged }) })}\n`;
}
