import { setImmediate } from 'node:timers/promises';
import { ExitError } from '../../../core/errors.ts';
import type { Fragment } from '../../../core/page.ts';
import type { SearchPhrase } from '../../../core/ports/search.ts';
import { spacedWords } from '../../../search/words.ts';
import { pageText } from '../../rules/search/page-text.ts';
import {
  batchMsMax,
  DamagedIndex,
  type IndexStep,
  notIndexed,
  type RankedPage,
  type SearchedJob,
  type SearchEngine,
  type Wanted,
} from '../../rules/search/search-engine.ts';
import type { Database, Statement } from '../file/database.ts';
import { DiskRoom } from '../file/disk-room.ts';
import { explained } from '../file/faults.ts';
import { openForReading } from '../file/open-database.ts';
import { runSteps } from '../file/run-steps.ts';
import { type JobToSearch, jobToSearch } from '../../shared/job-reads.ts';
import { type FragmentRow, fragmentOfRow } from '../jobs/fragment-reads.ts';
import { MovedIndex, SearchFile } from './search-file.ts';
import { pageId, pagesPerJob } from '../../rules/jobs/page-id.ts';

/** MiB that the index leaves free besides what the crawl needs, so that the crawl is not the first to stop. */
const marginMb = 64;
/** The weight of a word in the title; one in the text weighs 1. */
const titleWeight = 8;

interface IndexRow {
  readonly seq: number;
  readonly id: string;
  readonly indexed: number;
  readonly damaged: number;
  readonly last_crc: number | null;
  readonly erasures: number;
}

/** What is read of the database. */
interface Reads {
  readonly db: Database;
  readonly texts: TextsStatement;
}

const uint32Max = 2 ** 32 - 1;

/**
 * Searches with FTS5, in a file of its own. Each job has a table, so a search neither reads nor ranks by pages of other
 * jobs. The tables have no text, only words and their places: 10 to 40 % of the size of the text.
 */
export class SqliteSearch implements SearchEngine {
  readonly #dir: string;
  readonly #room: DiskRoom;
  readonly #index: SearchFile;
  #reads: Reads | undefined;

  constructor(dir: string, diskFreeMb: number) {
    this.#dir = dir;
    this.#room = new DiskRoom(dir, diskFreeMb === 0 ? 0 : diskFreeMb + marginMb);
    this.#index = new SearchFile(dir);
  }

  async look(jobId: string): Promise<SearchedJob | undefined> {
    const state = this.#state(jobId);
    if (!state) return undefined;
    const { indexed, damaged } = this.#indexed(state) ?? notIndexed;
    return { ...state, indexed, damaged };
  }

  async indexSome({ id }: SearchedJob): Promise<IndexStep> {
    const job = await this.look(id);
    if (!job || job.areResultsGone || job.indexed >= job.pages) return { pages: 0 };
    if (this.#room.isLow()) return 'disk_full';
    try {
      const pages = this.#index.use((db) => db.transaction('immediate', () => this.#indexNow(db, job)), {
        create: true,
      });
      return pages === undefined ? 'busy' : { pages };
    } catch (error) {
      if (error instanceof MovedIndex) return 'busy';
      if (error instanceof ExitError && error.problem === 'insufficient_storage') return 'disk_full';
      throw error;
    }
  }

  async find({ seq }: SearchedJob, { phrases, offset, limit, upToPage }: Wanted): Promise<readonly RankedPage[]> {
    const found = this.#index.use(
      (db) =>
        db
          .prepare<[string, number, number, number], RankedPage>(
            `SELECT rowid AS page, -rank AS score FROM words_${seq} WHERE words_${seq} MATCH ? AND rowid <= ? ORDER BY rank, rowid LIMIT ? OFFSET ?`,
          )
          .all(expressionOf(phrases), upToPage, limit, offset),
      { create: false },
    );
    if (!found) throw new DamagedIndex('its file is gone');
    return found;
  }

  async read(
    { seq }: SearchedJob,
    pages: readonly number[],
    bytesMax: number,
  ): Promise<readonly (Fragment | undefined)[]> {
    const texts: (Fragment | undefined)[] = [];
    let bytes = 0;
    for (const page of pages) {
      if (bytes > bytesMax) break;
      const [row] = this.#texts(seq, page, page);
      const text = row && fragmentOf(row);
      bytes += text?.length ?? 0;
      texts.push(text);
    }
    return texts;
  }

  async discard(job?: SearchedJob): Promise<void> {
    if (!job || this.#index.isDamaged) {
      this.#index.remove();
      return;
    }
    this.#index.use((db) => db.transaction('immediate', () => dropIndexes(db, job)), { create: false });
  }

  async sweep(): Promise<void> {
    const left = this.#index.use(
      (db) => {
        const rows = db.all<IndexRow>('SELECT * FROM search_job');
        const gone = rows.filter(({ id, erasures }) => {
          const state = this.#state(id);
          return !state || state.isSwept || state.erasures !== erasures;
        });
        for (const row of gone) db.transaction('immediate', () => dropIndexes(db, row));
        return rows.length - gone.length;
      },
      { create: false },
    );
    if (left === 0) this.#index.remove();
    else if (left !== undefined) while (this.#index.shrink()) await setImmediate();
  }

  async close(): Promise<void> {
    this.#index.close();
    this.#reads?.db.close();
  }

  #state(jobId: string): JobToSearch | undefined {
    return this.#read(() => runSteps(this.#opened().db, jobToSearch(jobId)));
  }

  /** Rows of the pages from the one to the other. */
  *#texts(seq: number, first: number, last: number): Iterable<NumberedFragmentRow> {
    try {
      for (const row of this.#opened().texts.iterate(pageId(seq, first), pageId(seq, last))) {
        const [page, text, deflated, crc, length, checksum] = row;
        // A shared text has the checksum of a page with another number.
        yield [page, deflated, crc, length, checksum === null ? null : (checksum ^ text ^ page) >>> 0];
      }
    } catch (error) {
      throw explained(error, this.#dir);
    }
  }

  /** Errors of the database stay distinct from those of the index. */
  #read<Result>(run: () => Result): Result {
    try {
      return run();
    } catch (error) {
      throw explained(error, this.#dir);
    }
  }

  #opened(): Reads {
    if (this.#reads) return this.#reads;
    const db = openForReading(this.#dir);
    // A damaged number can exceed what JavaScript can hold.
    const texts: TextsStatement = db.prepareArrays(`
      SELECT id % ${pagesPerJob}, text_id % ${pagesPerJob}, deflated, crc & ${uint32Max}, length & ${uint32Max}, packed_crc & ${uint32Max}
      FROM (
        SELECT b.id, coalesce(e.id, b.id) AS text_id, coalesce(e.deflated, b.deflated) AS deflated, coalesce(e.crc, b.crc) AS crc,
          coalesce(e.length, b.length) AS length, coalesce(e.packed_crc, b.packed_crc) AS packed_crc
        FROM body b LEFT JOIN body e ON e.id = b.text_of WHERE b.id >= ? AND b.id <= ? ORDER BY b.id)`);
    return (this.#reads = { db, texts });
  }

  /** How far a job is indexed. Discards an index of other pages. */
  #indexed(job: JobToSearch): IndexRow | undefined {
    return this.#index.use(
      (db) => {
        const rows = db.all<IndexRow>('SELECT * FROM search_job WHERE seq = ? OR id = ?', job.seq, job.id);
        const own = rows.find((row) => row.seq === job.seq && row.id === job.id && this.#isOf(job, row));
        const others = rows.filter((row) => row !== own);
        for (const other of others) db.transaction('immediate', () => dropIndexes(db, other));
        return own;
      },
      { create: false },
    );
  }

  #isOf({ seq, pages, erasures }: JobToSearch, { indexed, last_crc: crc, erasures: before }: IndexRow): boolean {
    if (erasures !== before) return false;
    return indexed >= 0 && indexed <= pages && (indexed === 0 || this.#crcOf(seq, indexed) === crc);
  }

  #crcOf(seq: number, page: number): number | null {
    const [row] = this.#texts(seq, page, page);
    return row?.[2] ?? null;
  }

  /** Indexes pages for some time, at least one. Call in a transaction. */
  #indexNow(db: Database, { id, seq, pages, format, erasures }: SearchedJob): number {
    const table = `words_${seq}`;
    // Another process can have indexed further.
    const known = db.get<IndexRow>('SELECT * FROM search_job WHERE id = ?', id);
    if (!known) {
      db.run('INSERT INTO search_job (seq, id, erasures) VALUES (?, ?, ?)', seq, id, erasures);
      // Words are separated and folded already; the tokenizer `ascii` splits at everything that is not part of one.
      db.exec(`CREATE VIRTUAL TABLE ${table} USING fts5(title, text, content = '', tokenize = 'ascii')`);
      db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('rank', 'bm25(${titleWeight}.0, 1.0)')`);
    }
    const from = known?.indexed ?? 0;
    let damaged = known?.damaged ?? 0;
    let last = from;
    let isCut = false;
    const insert = db.prepare(`INSERT INTO ${table} (rowid, title, text) VALUES (?, ?, ?)`);
    const until = performance.now() + batchMsMax;
    for (const row of this.#texts(seq, from + 1, pages)) {
      const [page] = row;
      damaged += page - last - 1;
      last = page;
      const text = pageText(fragmentOf(row), format);
      if (text) insert.run(page, spacedWords(text.title), spacedWords(text.text));
      else damaged++;
      isCut = performance.now() >= until;
      if (isCut) break;
    }
    if (!isCut) {
      damaged += pages - last;
      last = pages;
    }
    const note = 'UPDATE search_job SET indexed = ?, damaged = ?, last_crc = ? WHERE seq = ?';
    db.run(note, last, damaged, this.#crcOf(seq, last), seq);
    return last - from;
  }
}

type NumberedFragmentRow = readonly [page: number, ...text: FragmentRow];
type TextsStatement = Statement<[number, number], readonly [page: number, text: number, ...FragmentRow]>;

function fragmentOf([page, ...row]: NumberedFragmentRow): Fragment | undefined {
  return fragmentOfRow(row, page);
}

/** Words consist of letters and digits, so that nothing in them is syntax. */
function expressionOf(phrases: readonly SearchPhrase[]): string {
  return phrases.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ');
}

/** Overwrites what it removes: words of an erased page must not stay in free pages of the file. */
function dropIndexes(db: Database, { seq }: { readonly seq: number }): void {
  db.pragma('secure_delete = ON');
  db.exec(`DROP TABLE IF EXISTS words_${seq}`);
  db.run('DELETE FROM search_job WHERE seq = ?', seq);
  db.pragma('secure_delete = OFF');
}
