// Raw bodies, screenshots, and the texts that changes name.
import type { BlobQuery, FoundSlice, PageBlobs } from '../../core/ports/blobs.ts';
import type { FoundText, JobChanges, TextQuery } from '../../core/ports/changes.ts';
import type { PageStore, ScreenshotQuery } from '../../core/ports/stores.ts';
import { pageId, pagesPerJob } from '../rules/jobs/page-id.ts';
import { areResultsGone, type JobRow } from '../rules/jobs/job-row.ts';
import { fragmentOf, type FragmentColumns, fragmentColumns } from '../rules/pages/checksums.ts';
import { lastOf, segmentIn, type SegmentRow, within } from '../rules/pages/raw-bodies.ts';
import { foundIn, type PlacedRow } from '../rules/pages/screenshots.ts';
import { all, bytes, one, type OperationsOf } from './operation.ts';
import { clock, isIn, raw, sql } from './sql.ts';

const perJob = raw(String(pagesPerJob));

type State = Pick<JobRow, 'seq' | 'org' | 'scraped' | 'swept' | 'results_gone_at'> & { readonly now: number };
const state = sql`j.seq, j.org, j.scraped, j.swept, j.results_gone_at, ${clock()} AS now`;

export const screenshots: OperationsOf<Pick<PageStore, 'screenshot'>> = {
  screenshot: {
    kind: 'snapshot',
    ofPages: true,
    *steps({ org, jobId, page }: ScreenshotQuery) {
      const [row] = yield* bytes<State & PlacedRow>(
        sql`SELECT ${state}, p.type, p.bytes, p.crc, s.object, s.object_at, s.size
          FROM job j LEFT JOIN screenshot p ON p.id = j.seq * ${perJob} + CAST(${page} AS bigint) AND j.scraped >= CAST(${page} AS bigint)
          LEFT JOIN raw_segment s ON s.id = -p.id WHERE j.id = ${jobId}`,
      );
      if (row?.org !== org) return undefined;
      const isGone = areResultsGone(row, row.now);
      return { areResultsGone: isGone, ...(!isGone && row.type !== null && foundIn(row)) };
    },
  },
};

export const rawBodies: OperationsOf<PageBlobs> = {
  readRaw: {
    kind: 'snapshot',
    ofPages: true,
    *steps({ org, jobId, after, limit, bytesMax }: BlobQuery) {
      const job = yield* one<State>(sql`SELECT ${state} FROM job j WHERE j.id = ${jobId}`);
      if (job?.org !== org) return undefined;
      const isGone = areResultsGone(job, job.now);
      const until = Math.min(after + limit, job.scraped);
      const inRange = sql`id > ${pageId(job.seq, after)} AND id <= ${pageId(job.seq, until)}`;
      const found = isGone
        ? []
        : yield* all<FoundSlice>(
            sql`SELECT id % ${perJob} AS page, segment, at, length, crc FROM raw_page WHERE ${inRange} ORDER BY id`,
          );
      const slices = within(found, bytesMax);
      const rows = yield* bytes<SegmentRow & { readonly id: number }>(
        sql`SELECT id, bytes, length, object, object_at, size FROM raw_segment WHERE id ${isIn([...new Set(slices.map(({ segment }) => segment))])}`,
      );
      const segments = new Map(rows.map(({ id, ...row }) => [id, segmentIn(row)]));
      const upTo = lastOf({ after, limit, scraped: job.scraped }, found, slices);
      return { areResultsGone: isGone, slices, segments, upTo };
    },
  },
};

export const texts: OperationsOf<Pick<JobChanges, 'texts'>> = {
  texts: {
    kind: 'snapshot',
    ofPages: true,
    // The sizes decide which texts are returned before their contents are read.
    *steps({ places, withText, bytesMax }: TextQuery) {
      const from = sql`${raw(withText ? 'body' : 'page')} WHERE text_of IS NULL AND id`;
      const sized = yield* all<{ readonly id: number; readonly length: number }>(
        sql`SELECT id, length FROM ${from} ${isIn(places)}`,
      );
      const sizes = new Map(sized.map(({ id, length }) => [id, length]));
      let sum = 0;
      const wanted = places.filter((place) => {
        const isWithin = sum <= bytesMax;
        sum += sizes.get(place) ?? 0;
        return isWithin;
      });
      const rows = yield* bytes<FragmentColumns & { readonly id: number }>(
        sql`SELECT id, ${raw(fragmentColumns)} FROM ${from} ${isIn(wanted)}`,
      );
      const stored = new Map(rows.map((row) => [row.id, row]));
      return wanted.map((place): FoundText => {
        const row = stored.get(place);
        if (!row) return undefined;
        const page = place % pagesPerJob;
        const fragment = fragmentOf(row, page);
        if (!fragment) return 'damaged';
        return withText ? { page, body: fragment } : { page, meta: fragment };
      });
    },
  },
};
