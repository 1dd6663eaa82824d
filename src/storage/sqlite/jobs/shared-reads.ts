import type { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import type { Fragment } from '../../../core/page.ts';
import { readShared } from '../../rules/jobs/shared-pages.ts';
import { behind } from '../../rules/pages/page-slices.ts';
import type { Database, Statement } from '../file/database.ts';
import { type FragmentQuery, type FragmentRow, fragmentOfRow, type FragmentSlice } from './fragment-reads.ts';
import { pageId, pagesPerJob } from '../../rules/jobs/page-id.ts';

type Row = readonly [id: number, textOf: number | null, ...FragmentRow];

/** Reads pages in order, of a job some of whose pages share the texts of earlier jobs. */
export class SharedReads {
  readonly #as: 'meta' | 'body';
  readonly #buffers: BufferPool;
  readonly #rows: Statement<[number, number, number], Row>;
  readonly #earlier: Statement<[number], FragmentRow>;

  constructor(db: Database, buffers: BufferPool, table: 'page' | 'body') {
    this.#as = table === 'page' ? 'meta' : 'body';
    this.#buffers = buffers;
    // A damaged number can exceed what JavaScript can hold.
    const facts = ['crc', 'length', 'packed_crc'].map((name) => `${name} & ${2 ** 32 - 1}`).join(', ');
    this.#rows = db.prepareArrays(
      `SELECT id, text_of, deflated, ${facts} FROM ${table} WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
    );
    this.#earlier = db.prepareArrays(`SELECT deflated, ${facts} FROM ${table} WHERE id = ?`);
  }

  /** Pages up to the first that is not what was stored. */
  read({ job, after, limit, bytesMax, scraped }: FragmentQuery): FragmentSlice {
    const found: Fragment[] = [];
    let unpacked = 0;
    for (const row of this.#rows.iterate(pageId(job, after), pageId(job, scraped), limit)) {
      const page = after + found.length + 1;
      const fragment = row[0] === pageId(job, page) ? this.#fragmentOf(row, page) : undefined;
      if (!fragment) break;
      found.push(fragment);
      unpacked += fragment.length;
      if (unpacked > bytesMax) break;
    }
    const bytes = this.#buffers.take(found.reduce((sum, { deflated }) => sum + deflated.length, 0));
    let at = 0;
    for (const { deflated } of found) {
      bytes.set(deflated, at);
      at += deflated.length;
    }
    const count = found.length;
    return {
      numbers: Uint32Array.from(found, (_, index) => after + index + 1),
      sizes: Uint32Array.from(found, ({ deflated }) => deflated.length),
      bytes: bytes.subarray(0, at),
      packed: {
        as: this.#as,
        crcs: Uint32Array.from(found, ({ crc }) => crc),
        lengths: Uint32Array.from(found, ({ length }) => length),
      },
      ...behind({ after, count, wanted: unpacked > bytesMax ? count : limit, scraped }),
    };
  }

  #fragmentOf([, textOf, ...row]: Row, page: number): Fragment | undefined {
    const own = fragmentOfRow(row, page);
    if (!own || textOf === null) return own;
    const earlier = fragmentOfRow(this.#earlier.get(textOf), textOf % pagesPerJob);
    return earlier && readShared(earlier, own);
  }
}
