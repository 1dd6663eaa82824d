// Compares a history with what one service without faults could have answered. An operation counts as before another one
// only if it had ended when the other began; what overlaps may have happened in either order.
import type { Call, History, JobState, Operation, Outcome, PageRow } from './operation.ts';

export interface Violation {
  readonly rule: string;
  readonly what: string;
}

type Named<Name extends Call['name']> = Operation & { readonly call: Extract<Call, { name: Name }> };
type Told<Kind extends Outcome['kind']> = Operation & { readonly outcome: Extract<Outcome, { kind: Kind }> };

const isCall = <Name extends Call['name']>(operation: Operation, name: Name): operation is Named<Name> =>
  operation.call.name === name;
const isTold = <Kind extends Outcome['kind']>(operation: Operation, kind: Kind): operation is Told<Kind> =>
  operation.outcome?.kind === kind;

/** Everything that contradicts a promise; empty for a sound history. */
export function judge(history: History): Violation[] {
  const jobs = Map.groupBy(
    history.filter(({ call }) => 'job' in call || call.name === 'create'),
    jobOf,
  );
  return [
    ...createsAreTaken(history),
    ...keysAreJobs(history),
    ...listIsWhole(history),
    ...[...jobs].flatMap(([id, operations]) =>
      id === undefined ? [] : jobRules.flatMap((rule) => rule(id, operations)),
    ),
  ];
}

function jobOf({ call, outcome }: Operation): string | undefined {
  if ('job' in call) return call.job;
  return outcome?.kind === 'job' ? outcome.job.id : undefined;
}

/** All requests to create are right, also when they are repeated. */
function createsAreTaken(history: History): Violation[] {
  return history.flatMap(({ call, outcome }) =>
    call.name === 'create' && outcome?.kind === 'refused'
      ? [{ rule: 'every create makes a job', what: `${call.key}: ${outcome.status} ${outcome.code}` }]
      : [],
  );
}

/** One key is one job, and another key another job. */
function keysAreJobs(history: History): Violation[] {
  const keys = new Map<string, string>();
  const violations: Violation[] = [];
  for (const operation of history) {
    if (!isCall(operation, 'create') || !isTold(operation, 'job')) continue;
    const { key } = operation.call;
    const { id } = operation.outcome.job;
    const known = keys.get(key);
    const other = [...keys].find(([otherKey, otherId]) => otherKey !== key && otherId === id)?.[0];
    if (known !== undefined && known !== id)
      violations.push({ rule: 'one job a key', what: `${key}: ${known}, ${id}` });
    if (other !== undefined) violations.push({ rule: 'one key a job', what: `${id}: ${other}, ${key}` });
    keys.set(key, id);
  }
  return violations;
}

/** A list has every job that was acknowledged before it was asked for, and none that nobody created. */
function listIsWhole(history: History): Violation[] {
  const created = history.filter((operation) => isCall(operation, 'create'));
  return history.flatMap((operation) => {
    if (!isTold(operation, 'list')) return [];
    const { ids } = operation.outcome;
    const before = created.filter((create) => create.to < operation.from && create.outcome?.kind === 'job');
    const missing = before.map((create) => jobOf(create) ?? '').filter((id) => !ids.includes(id));
    const begun = created.filter((create) => create.from < operation.to);
    const known = new Set(begun.map(jobOf));
    const unknownKeys = new Set(begun.map(({ call }) => (call as { key: string }).key));
    for (const create of begun)
      if (jobOf(create) !== undefined) unknownKeys.delete((create.call as { key: string }).key);
    const strange = ids.filter((id) => !known.has(id));
    return [
      ...missing.map((id) => ({ rule: 'acknowledged jobs are listed', what: id })),
      ...(new Set(ids).size < ids.length ? [{ rule: 'a job is listed once', what: ids.join(' ') }] : []),
      ...(strange.length > unknownKeys.size
        ? [{ rule: 'no job without a request', what: `${strange.length} of unknown origin` }]
        : []),
    ];
  });
}

type JobRule = (id: string, operations: History) => Violation[];

/** For each operation, all operations that had ended before it began, folded into one value. */
function* eachWithKnown<Known>(
  operations: History,
  none: Known,
  learn: (known: Known, operation: Operation) => Known,
): Generator<readonly [Operation, Known]> {
  const ended = operations.toSorted((a, b) => a.to - b.to);
  let known = none;
  let next = 0;
  for (const operation of operations.toSorted((a, b) => a.from - b.from)) {
    for (let past = ended[next]; past !== undefined && past.to < operation.from; past = ended[++next])
      known = learn(known, past);
    yield [operation, known];
  }
}

const highest = (rows: readonly PageRow[]): number => rows.at(-1)?.page ?? 0;

/** The pages that exist for certain once the operation has ended. */
function pagesSeen({ call, outcome }: Operation): number {
  if (outcome?.kind === 'job') return outcome.job.progress.scraped;
  return outcome?.kind === 'pages' && call.name === 'data' ? Math.max(call.after, highest(outcome.rows)) : 0;
}

const acknowledgedStays: JobRule = (id, operations) =>
  [
    ...eachWithKnown(
      operations,
      false,
      (known, { outcome }) => known || (outcome !== undefined && outcome.kind !== 'refused'),
    ),
  ].flatMap(([{ call, outcome }, isKnown]) =>
    isKnown && outcome?.kind === 'refused' && outcome.status === 404
      ? [{ rule: 'a job that was acknowledged stays', what: `${call.name} of ${id}: 404 ${outcome.code}` }]
      : [],
  );

const sumsAddUp: JobRule = (id, operations) =>
  operations.flatMap((operation) => {
    if (!isTold(operation, 'job')) return [];
    const { discovered, queued, inFlight, scraped, discarded, failed, outside } = operation.outcome.job.progress;
    return discovered === queued + inFlight + scraped + discarded + failed + outside
      ? []
      : [{ rule: 'progress adds up', what: `${id}: ${JSON.stringify(operation.outcome.job.progress)}` }];
  });

const countsOnlyGrow: JobRule = (id, operations) =>
  [
    ...eachWithKnown(operations, { pages: 0, discovered: 0 }, (known, operation) => ({
      pages: Math.max(known.pages, pagesSeen(operation)),
      discovered: Math.max(known.discovered, isTold(operation, 'job') ? operation.outcome.job.progress.discovered : 0),
    })),
  ].flatMap(([operation, known]) => {
    if (!isTold(operation, 'job')) return [];
    const { scraped, discovered } = operation.outcome.job.progress;
    const violations: Violation[] = [];
    if (scraped < known.pages)
      violations.push({ rule: 'no page is forgotten', what: `${id}: ${scraped} after ${known.pages}` });
    if (discovered < known.discovered)
      violations.push({ rule: 'no URL is forgotten', what: `${id}: ${discovered} after ${known.discovered}` });
    return violations;
  });

const endOf = ({ status, finishedAt, progress }: JobState): string | undefined =>
  finishedAt === null ? undefined : JSON.stringify({ status, finishedAt, progress });

const endIsFinal: JobRule = (id, operations) =>
  [
    ...eachWithKnown<string | undefined>(
      operations,
      undefined,
      (known, operation) => known ?? (isTold(operation, 'job') ? endOf(operation.outcome.job) : undefined),
    ),
  ].flatMap(([operation, known]) =>
    known !== undefined && isTold(operation, 'job') && endOf(operation.outcome.job) !== known
      ? [{ rule: 'an ended job never changes', what: `${id}: ${known}, then ${JSON.stringify(operation.outcome.job)}` }]
      : [],
  );

const pagesAreInOrder: JobRule = (id, operations) =>
  operations.flatMap((operation) => {
    if (!isCall(operation, 'data') || !isTold(operation, 'pages')) return [];
    const { after, limit } = operation.call;
    const pages = operation.outcome.rows.map(({ page }) => page);
    return pages.length <= limit && pages.every((page, index) => page === after + index + 1)
      ? []
      : [{ rule: 'pages come in order', what: `${id} behind ${after}, at most ${limit}: ${pages.join(' ')}` }];
  });

const readersSeeWhatIsThere: JobRule = (id, operations) =>
  [...eachWithKnown(operations, 0, (known, operation) => Math.max(known, pagesSeen(operation)))].flatMap(
    ([operation, known]) => {
      if (!isCall(operation, 'data') || !isTold(operation, 'pages')) return [];
      const { after, limit } = operation.call;
      const { rows } = operation.outcome;
      return rows.length >= Math.min(limit, known - after)
        ? []
        : [
            {
              rule: 'a reader sees what others saw',
              what: `${id} behind ${after}: ${rows.length} of ${known - after}`,
            },
          ];
    },
  );

const nothingFollowsTheEnd: JobRule = (id, operations) => {
  const ends = operations.flatMap((operation) =>
    isCall(operation, 'data') && isTold(operation, 'pages') && operation.outcome.isEnd
      ? [Math.max(operation.call.after, highest(operation.outcome.rows))]
      : [],
  );
  const most = Math.max(0, ...operations.map(pagesSeen));
  return ends.some((end) => end !== most)
    ? [{ rule: 'nothing follows the end', what: `${id} ended at ${[...new Set(ends)].join(', ')} of ${most}` }]
    : [];
};

function isOther(one: PageRow, other: PageRow): boolean {
  if (one.url !== other.url) return true;
  if (one.isErased || other.isErased) return false;
  const hasTexts = one.textHash !== undefined && other.textHash !== undefined;
  return one.hash !== other.hash || (hasTexts && one.textHash !== other.textHash);
}

const pagesAreFixed: JobRule = (id, operations) => {
  const pages = new Map<number, PageRow>();
  const numbers = new Map<string, number>();
  const violations: Violation[] = [];
  for (const { outcome } of operations) {
    if (outcome?.kind !== 'pages') continue;
    for (const row of outcome.rows) {
      const known = pages.get(row.page);
      if (known && isOther(known, row))
        violations.push({ rule: 'a page never changes', what: `${id} page ${row.page}: ${known.url}, ${row.url}` });
      if (!known || known.isErased || known.textHash === undefined) pages.set(row.page, row);
      const number = numbers.get(row.url) ?? row.page;
      if (number !== row.page)
        violations.push({ rule: 'a URL is one page', what: `${id} ${row.url}: ${number}, ${row.page}` });
      numbers.set(row.url, number);
    }
  }
  return violations;
};

const erasedStaysErased: JobRule = (id, operations) => {
  const erasing = operations.filter((operation) => isCall(operation, 'erase'));
  const known = (operation: Operation, page: number, at: 'begun' | 'done'): boolean =>
    erasing.some((erase) =>
      erase.call.page === page && at === 'begun'
        ? erase.from < operation.to
        : erase.call.page === page && erase.to < operation.from && erase.outcome?.kind === 'done',
    );
  return operations.flatMap((operation) => {
    if (!isTold(operation, 'pages')) return [];
    return operation.outcome.rows.flatMap(({ page, isErased }) => {
      if (isErased && !known(operation, page, 'begun'))
        return [{ rule: 'only erased pages are empty', what: `${id} ${page}` }];
      if (!isErased && known(operation, page, 'done'))
        return [{ rule: 'an erased page is gone', what: `${id} ${page}` }];
      return [];
    });
  });
};

const deletedIsGone: JobRule = (id, operations) => {
  const deleting = operations.filter(({ call }) => call.name === 'delete');
  return operations.flatMap((operation) => {
    if (operation.call.name !== 'data') return [];
    const isDeleted = deleting.some(({ to, outcome }) => to < operation.from && outcome?.kind === 'done');
    const isBegun = deleting.some(({ from }) => from < operation.to);
    if (isDeleted && operation.outcome?.kind === 'pages') return [{ rule: 'deleted results are gone', what: id }];
    const isGone = operation.outcome?.kind === 'refused' && operation.outcome.status === 410;
    return isGone && !isBegun ? [{ rule: 'only deleted results are gone', what: id }] : [];
  });
};

const changesAreFixed: JobRule = (id, operations) => {
  const rows: string[] = [];
  const violations: Violation[] = [];
  for (const operation of operations) {
    if (!isCall(operation, 'changes') || !isTold(operation, 'changes')) continue;
    for (const [index, row] of operation.outcome.rows.entries()) {
      const at = operation.call.after + index;
      if (rows[at] !== undefined && rows[at] !== row)
        violations.push({ rule: 'a change never changes', what: `${id} ${at}: ${rows[at]}, ${row}` });
      rows[at] ??= row;
    }
  }
  const urls = rows.map((row) => (JSON.parse(row) as { readonly url: string }).url);
  if (new Set(urls).size < urls.length) violations.push({ rule: 'a URL changes once', what: id });
  return violations;
};

/** A run that nobody cancelled says what became of each page of the earlier one; a cancelled one removes nothing. */
const changesAreTrue: JobRule = (id, operations) => {
  const told = new Map(
    operations.flatMap((operation) =>
      isTold(operation, 'changes')
        ? operation.outcome.rows.map((row) => {
            const { url, change } = JSON.parse(row) as { readonly url: string; readonly change: string };
            return [url, change] as const;
          })
        : [],
    ),
  );
  const isOf = (status: string): boolean =>
    operations.some((operation) => isTold(operation, 'job') && operation.outcome.job.status === status);
  if (isOf('cancelled'))
    return [...told]
      .filter(([, change]) => change === 'removed')
      .map(([url]) => ({ rule: 'a cancelled run removes nothing', what: `${id} ${url}` }));
  const isRead = operations.some((operation) => isTold(operation, 'changes') && operation.outcome.isEnd);
  if (!isRead || !isOf('succeeded')) return [];
  const expected = operations.flatMap(({ call }) => (call.name === 'create' ? Object.entries(call.changes ?? {}) : []));
  return expected
    .filter(([url, change]) => told.get(url) !== change)
    .map(([url, change]) => ({
      rule: 'changes are those of the site',
      what: `${id} ${url}: ${told.get(url)}, not ${change}`,
    }));
};

/** The ledger of an ended job: each URL once, the counts of the job, the pages of the readers. */
const ledgerAgrees: JobRule = (id, operations) => {
  const jobs = operations.flatMap((operation) =>
    isTold(operation, 'job') && operation.outcome.job.finishedAt !== null ? [operation.outcome.job] : [],
  );
  const pages = new Map(
    operations.flatMap(({ outcome }) =>
      outcome?.kind === 'pages' ? outcome.rows.map(({ page, url }) => [page, url] as const) : [],
    ),
  );
  return operations.flatMap((operation) => {
    if (!isTold(operation, 'urls')) return [];
    const { rows } = operation.outcome;
    const violations: Violation[] = [];
    if (new Set(rows.map(({ url }) => url)).size < rows.length)
      violations.push({ rule: 'a URL is listed once', what: id });
    for (const { progress } of jobs) {
      if (rows.length !== progress.discovered)
        violations.push({ rule: 'the ledger is whole', what: `${id}: ${rows.length} of ${progress.discovered}` });
      const scraped = rows.filter(({ status }) => status === 'scraped').length;
      if (scraped !== progress.scraped)
        violations.push({ rule: 'the ledger counts pages', what: `${id}: ${scraped} of ${progress.scraped}` });
    }
    for (const { url, page } of rows)
      if (page !== undefined && pages.has(page) && pages.get(page) !== url)
        violations.push({ rule: 'ledger and pages agree', what: `${id} page ${page}: ${url}, ${pages.get(page)}` });
    return violations;
  });
};

/** A job that nobody cancelled or deleted delivers every page of its site; one that was cancelled ends. */
const everyPageComes: JobRule = (id, operations) => {
  const expected = operations.flatMap(({ call }) => (call.name === 'create' ? call.expected : []));
  const isLeftAlone = !operations.some(({ call }) => call.name === 'cancel' || call.name === 'delete');
  const states = operations.flatMap((operation) => (isTold(operation, 'job') ? [operation.outcome.job] : []));
  const last = states.find(({ finishedAt }) => finishedAt !== null);
  if (!last) return [{ rule: 'every job ends', what: id }];
  if (!isLeftAlone) return [];
  const urls = new Set(
    operations
      .flatMap(({ outcome }) => (outcome?.kind === 'urls' ? outcome.rows : []))
      .flatMap(({ url, status }) => (status === 'scraped' ? [url] : [])),
  );
  const missing = expected.filter((url) => !urls.has(url));
  return [
    ...(last.status === 'succeeded'
      ? []
      : [{ rule: 'a job that nobody ends succeeds', what: `${id}: ${last.status}` }]),
    ...(missing.length > 0 ? [{ rule: 'every page comes', what: `${id} lacks ${missing.slice(0, 5).join(' ')}` }] : []),
  ];
};

const jobRules: readonly JobRule[] = [
  acknowledgedStays,
  sumsAddUp,
  countsOnlyGrow,
  endIsFinal,
  pagesAreInOrder,
  readersSeeWhatIsThere,
  nothingFollowsTheEnd,
  pagesAreFixed,
  erasedStaysErased,
  deletedIsGone,
  changesAreFixed,
  changesAreTrue,
  ledgerAgrees,
  everyPageComes,
];
