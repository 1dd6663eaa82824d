// How a client reads results, and what it should have got: the pages as they are in the database.
import { type PageJson, parsePage } from '../../src/page/decode.ts';
import type { TestService } from './start-service.ts';

export const endpoints = ['data', 'meta'] as const;
export type Endpoint = (typeof endpoints)[number];

export type Row = Pick<PageJson, 'meta'> & Partial<PageJson>;

export interface ResultsAnswer {
  readonly data: readonly Row[];
  readonly cursor?: string;
  readonly nextCursor?: string;
}

/** Reads until no cursor comes any more. `limitOf` says the limit of each request; `between` runs before each but the first. */
export async function readToEnd(
  service: TestService,
  jobId: string,
  endpoint: Endpoint,
  limitOf: (request: number) => number,
  between?: (request: number) => Promise<void>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let request = 0; request === 0 || cursor !== undefined; request++) {
    if (request > 0) await between?.(request);
    const query = new URLSearchParams({ limit: String(limitOf(request)), ...(cursor !== undefined && { cursor }) });
    const answer = await service.ok<ResultsAnswer>(`/crawler/jobs/${jobId}/${endpoint}?${query.toString()}`);
    if (answer.data.length > limitOf(request))
      throw new Error(`asked for ${limitOf(request)} rows, got ${answer.data.length}`);
    rows.push(...answer.data);
    ({ cursor } = answer);
  }
  return rows;
}

interface StoredBody {
  readonly page: number | string;
  readonly deflated: Uint8Array;
  readonly crc: number | string;
  readonly length: number;
}

/** The pages of a job as the database has them. */
export async function storedRows({ store }: TestService, jobId: string, endpoint: Endpoint): Promise<Row[]> {
  const pages = await store.query<StoredBody>(
    `SELECT p.id % 16777216 AS page, b.deflated, b.crc, b.length FROM job j
     JOIN page p ON p.id / 16777216 = j.seq JOIN body b ON b.id = p.id WHERE j.id = '${jobId}' ORDER BY p.id`,
  );
  const rows = pages.map(({ page, deflated, crc, length }) =>
    parsePage({ page: Number(page), body: { deflated, crc: Number(crc), length } }),
  );
  return endpoint === 'data' ? rows : rows.map(({ meta }) => ({ meta }));
}
